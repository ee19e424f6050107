/** What `logs` prints. */
import { once } from 'node:events';
import { Derivation, eventStream } from '../../history';
import { isAborted } from '../../temporal';
import { EXIT } from '../errors';
import { type LogLine, logLines } from '../output/log-lines';
import { printable } from '../output/paint';
import { followed } from './print-events';
import { asUsage, openRecorded } from './recorded-run';
import { onInterrupt } from './signals';

export interface LogOptions {
  readonly follow?: boolean;
  readonly step?: string;
  readonly json?: boolean;
  readonly data?: string;
}

/** @returns the exit code */
export async function printLogs(named: readonly string[], options: LogOptions): Promise<number> {
  const run = await openRecorded(named, options.data);
  const stop = new AbortController();
  const quiet = onInterrupt(() => stop.abort());
  const { converter } = run;
  try {
    // Whole bodies: a long output would be a reference else.
    const events =
      options.follow && run.client
        ? followed(run, stop.signal, true)
        : eventStream(run.pages(), new Derivation({ converter, bodies: true }));
    for await (const some of events) {
      const lines = some.flatMap(logLines).filter(({ step }) => step === (options.step ?? step));
      const text = lines.map((line) => `${options.json ? JSON.stringify(line) : textOf(line)}\n`).join('');
      if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
    }
    return EXIT.success;
  } catch (error) {
    if (!stop.signal.aborted || !isAborted(error)) asUsage(error);
    return EXIT.interrupted;
  } finally {
    quiet();
    await run.close();
  }
}

function textOf({ timestamp, task_run_id, stream, line }: LogLine): string {
  const mark = stream === 'stdout' ? ' ' : stream === 'stderr' ? '!' : '×';
  return `${timestamp.slice(11, 23)} ${task_run_id} ${mark} ${printable(line)}`;
}
