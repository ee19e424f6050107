import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { asUsage, openRecorded, type RecordedRun } from './recorded-run';
import { facadeNamed, facadePort, type PortFlags } from './port';
import { saveAnswer } from './port/ask';

/**
 * Uses the history of an execution, from Temporal, from files, or from a facade, and closes it.
 *
 * @param named one execution id or workflow id, or the history files of one execution's runs
 * @throws UsageError if there is none
 */
export async function withRecorded<T>(
  named: readonly string[],
  { server, data, storage }: PortFlags,
  use: (run: RecordedRun) => Promise<T>,
): Promise<T> {
  const isFiles = server === undefined && named.every((one) => fs.existsSync(one));
  // Values that are stored elsewhere are looked up here, also of a history from a facade.
  const facade = server ?? (isFiles ? undefined : facadeNamed({ data, storage }));
  if (facade !== undefined) {
    const port = await facadePort(facade);
    const id = await port.idOf(named.join(' '));
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-history-'));
    try {
      const file = path.join(folder, 'history.json');
      await saveAnswer(port, `/api/executions/${id}/history`, file);
      return await withRecorded([file], { data, storage }, use);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
  const run = await openRecorded(named, data, storage);
  try {
    return await use(run);
  } catch (error) {
    return asUsage(error);
  } finally {
    await run.close();
  }
}
