/** `replay`: checks a run's history against this release, with Temporal's replayer and with the engine. */
import { replayHistory, type ReplayReport } from '../../offline/replay';
import { installRuntime } from '../../temporal/worker';
import { EXIT } from '../errors';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { quietLog } from './session';
import { type PortFlags } from './port';
import { withRecorded } from './with-recorded';

export interface ReplayOptions extends PortFlags {
  readonly format: 'text' | 'json';
}

/** @returns the exit code: 1 if this release cannot replay the history */
export async function replayRun(named: readonly string[], options: ReplayOptions): Promise<number> {
  installRuntime(quietLog());
  const report = await withRecorded(named, options, replayHistory);
  await print(options.format === 'json' ? JSON.stringify(report, null, 2) : reportText(report));
  return report.ok ? EXIT.success : EXIT.failed;
}

function reportText({ ok, runs, history_events, events, divergence }: ReplayReport): string {
  const { green, red } = paint(wantsColor(process.stdout));
  const size = `${history_events} history events in ${runs} Temporal run${runs === 1 ? '' : 's'}, ${events} canonical events`;
  if (ok) return `${green('✓')} this release follows the history: ${size}`;
  const { by, run, message } = divergence!;
  const who = by === 'engine' ? 'the engine' : 'Temporal’s replayer';
  return [
    `${red('✗')} this release cannot replay the history (${size})`,
    `  found by ${who} in Temporal run ${run}: ${printable(message)}`,
    '  The run was executed by different code: let workers of the release that started it finish it, or reset it to a point before the difference.',
  ].join('\n');
}
