/** `run … --server URL`: an execution on a facade, watched to its end. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { hasCode } from '../../../language/errors';
import { UsageError } from '../../errors';
import { readPayload } from '../../input/payload';
import { unreadInput } from '../../input/check-workload';
import { paint, printable, wantsColor } from '../../output/paint';
import { registeredFindingLines } from '../../output/register-text';
import { warn } from '../../output/say';
import { type RunOptions } from '../run-playbook';
import { attend, patiently } from './attend';
import { ask } from '../port/ask';
import { facadeOf } from '../port/facade';
import { type FacadePort } from '../port';
import { registerFiles } from './register-files';
import { type StartedDocument } from '../../../server/facade/documents';

export interface RunThereOptions extends Omit<RunOptions, 'history' | 'data'> {
  readonly server: string;
}

/**
 * Runs a file, which is registered first, or a playbook of the catalog.
 *
 * @returns the exit code
 */
export async function runThere(name: string, options: RunThereOptions): Promise<number> {
  const server = facadeOf(options.server);
  const workload = readPayload(options.payload, options.set);
  const reference = fs.existsSync(name) ? await registered(server, name) : { path: name };
  // A request whose response is lost is repeated: the key makes it refer to the same execution.
  const key = { 'idempotency-key': randomUUID() };
  const submit = (): Promise<StartedDocument> =>
    ask(server, '/api/execute', {
      method: 'POST',
      body: { ...reference, workload, labels: options.label },
      headers: key,
    });
  const started = await submit().catch((error: unknown) => {
    if (!hasCode(error, 'FACADE_FAILED')) throw error;
    return patiently(submit);
  });
  const { execution_id: id, workflow_id, path, version, warnings } = started;
  for (const warning of warnings) warn(unreadInput(warning));
  process.stderr.write(printable(`${path}, version ${version}: execution ${id} at ${server.url}`) + '\n');
  process.stderr.write(printable(`${server.url}/runs/${id}`) + '\n');
  return attend(server, { execution_id: id, workflow_id, playbook: `catalog://${path}@${version}` }, options);
}

async function registered(server: FacadePort, file: string): Promise<{ catalog_id: string }> {
  const [outcome] = await registerFiles(server, [file]);
  if (!outcome?.catalog_id) throw new UsageError(`${file}: ${outcome?.error ?? 'was not registered'}`);
  const warnings = outcome.diagnostics.filter(({ severity }) => severity === 'warning');
  const lines = registeredFindingLines({ file, diagnostics: warnings }, paint(wantsColor(process.stderr)));
  if (lines.length > 0) process.stderr.write(`${lines.map(printable).join('\n')}\n`);
  return { catalog_id: outcome.catalog_id };
}
