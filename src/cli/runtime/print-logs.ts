/** The output of `logs`. */
import { once } from 'node:events';
import { EXIT } from '../errors';
import { type LogLine } from '../../logs';
import { logLines } from '../output/log-lines';
import { lineText } from '../output/log-text';
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
  const { signal } = stop;
  const show = async (lines: readonly LogLine[]): Promise<void> => {
    const text = lines
      .filter(({ step }) => step === (options.step ?? step))
      .map((line) => `${options.json ? JSON.stringify(line) : lineText(line)}\n`)
      .join('');
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  try {
    let isKept = false;
    for await (const lines of run.lines({ follow, signal })) {
      isKept ||= lines.length > 0;
      await show(lines);
    }
    // Logs were not stored: prints the output from results. In full, because long output would otherwise be a
    // reference.
    if (!isKept)
      for await (const some of run.events({ follow, bodies: true, signal }))
        await show(some.flatMap(logLines));
    return stop.signal.aborted ? EXIT.interrupted : EXIT.success;
  } catch (error) {
    if (!stop.signal.aborted || !(await isAborted(error))) throw error;
    return EXIT.interrupted;
  } finally {
    quiet();
  }
}
