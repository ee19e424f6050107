import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onlyId } from '../input/here-only';
import { type ExecutionSource } from './executions';
import { asUsage, openRecorded, type RecordedRun } from './recorded-run';
import { saveAnswer, facadeAddressOf } from './remote/facade-client';

/**
 * Uses the history of an execution, from Temporal, from files, or from a facade, and closes it.
 *
 * @param named one execution id or workflow id, or the history files of one execution's runs
 * @throws UsageError if there is none
 */
export async function withRecorded<T>(
  named: readonly string[],
  { server, data, storage }: ExecutionSource,
  use: (run: RecordedRun) => Promise<T>,
): Promise<T> {
  if (server !== undefined) {
    const id = onlyId(named);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-history-'));
    try {
      const file = path.join(folder, 'history.json');
      await saveAnswer(facadeAddressOf(server), `/api/executions/${id}/history`, file);
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
