/** What `logs` prints. */
import { once } from 'node:events';
import { EXIT } from '../errors';
import { type LogLine, logLines } from '../output/log-lines';
import { printable } from '../output/paint';
import { executionOf } from './executions';
import { isAborted } from './aborted';
import { onInterrupt } from './signals';

export interface LogOptions {
  readonly follow?: boolean;
  readonly step?: string;
  readonly json?: boolean;
  readonly data?: string;
  readonly server?: string;
}

/** @returns the exit code */
export async function printLogs(named: readonly string[], options: LogOptions): Promise<number> {
  const { follow, data, server } = options;
  const run = await executionOf(named, { data, server });
  const stop = new AbortController();
  const quiet = onInterrupt(() => stop.abort());
  try {
    // Whole bodies: a long output would be a reference else.
    for await (const some of run.events({ follow, bodies: true, signal: stop.signal })) {
      const lines = some.flatMap(logLines).filter(({ step }) => step === (options.step ?? step));
      const text = lines.map((line) => `${options.json ? JSON.stringify(line) : textOf(line)}\n`).join('');
      if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
    }
    return stop.signal.aborted ? EXIT.interrupted : EXIT.success;
  } catch (error) {
    if (!stop.signal.aborted || !(await isAborted(error))) throw error;
    return EXIT.interrupted;
  } finally {
    quiet();
  }
}

function textOf({ timestamp, task_run_id, stream, line }: LogLine): string {
  const mark = stream === 'stdout' ? ' ' : stream === 'stderr' ? '!' : '×';
  return `${timestamp.slice(11, 23)} ${task_run_id} ${mark} ${printable(line)}`;
}
