/** The output of `logs`. */
import { once } from 'node:events';
import { EXIT } from '../errors';
import { type LogLine } from '../../telemetry/logs';
import { logLines } from '../output/log-lines';
import { lineText } from '../output/log-text';
import { withHistory } from './executions';
import { type PortFlags } from './port';
import { untilInterrupt } from './until-interrupt';

export interface LogOptions extends PortFlags {
  readonly follow?: boolean;
  readonly step?: string;
  readonly json?: boolean;
}

/** @returns the exit code */
export async function printLogs(named: readonly string[], options: LogOptions): Promise<number> {
  const { follow } = options;
  const show = async (lines: readonly LogLine[]): Promise<void> => {
    const text = lines
      .filter(({ step }) => step === (options.step ?? step))
      .map((line) => `${options.json ? JSON.stringify(line) : lineText(line)}\n`)
      .join('');
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  return await withHistory(named, options, async (run) => {
    const isInterrupted = await untilInterrupt(async (signal) => {
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
    });
    return isInterrupted ? EXIT.interrupted : EXIT.success;
  });
}
