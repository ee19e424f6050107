import fs from 'node:fs';
import { type PortFlags, withPort } from '../port';
import { executionAt, type ReadableExecution, type RemoteExecution } from './execution';

export { type ExplanationNow, type ReadableExecution } from './execution';

/** Uses an execution by its id, or by the workflow id under which another client started it in this Temporal. */
export async function withExecution<T>(
  name: string,
  flags: PortFlags,
  use: (execution: RemoteExecution) => Promise<T>,
): Promise<T> {
  return await withPort(flags, async (port) => await use(await executionAt(name, port)));
}

/**
 * As `withExecution`, to read only: its history may be in files, over all its runs.
 *
 * @throws UsageError if files and ids are mixed, or files do not belong together
 */
export async function withHistory<T>(
  names: readonly string[],
  flags: PortFlags,
  use: (execution: ReadableExecution) => Promise<T>,
): Promise<T> {
  if (flags.server === undefined && (names.length > 1 || names.every((one) => fs.existsSync(one)))) {
    const [{ executionInFiles }, { withRecorded }] = await Promise.all([
      import('./in-files.js'),
      import('../with-recorded.js'),
    ]);
    return await withRecorded(names, flags, (run) => use(executionInFiles(run)));
  }
  return await withExecution(names.join(' '), flags, use);
}
