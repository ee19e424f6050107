/** The output of `events`. */
import { type Divergence, PROFILES, type ProfileName } from '../../history';
import { EXIT, UsageError } from '../errors';
import { type EventFormat, eventWriter } from '../output/event-lines';
import { print } from '../output/say';
import { withHistory } from './executions';
import { type PortFlags } from './port';
import { untilInterrupt } from './until-interrupt';

export interface PrintOptions extends PortFlags {
  readonly profile: ProfileName;
  readonly format: EventFormat;
  readonly follow?: boolean;
  /** Prints large values too, instead of references. */
  readonly bodies?: boolean;
}

/** @returns the exit code: 1 if this build cannot replay the history */
export async function printEvents(named: readonly string[], options: PrintOptions): Promise<number> {
  const { bodies, follow } = options;
  return await withHistory(named, options, async (run) => {
    const writer = eventWriter(options.format, PROFILES[options.profile].project(), process.stdout);
    const isInterrupted = await untilInterrupt(async (signal) => {
      for await (const some of run.events({ follow, bodies, signal })) await writer.write(some);
    });
    await writer.end();
    return isInterrupted ? EXIT.interrupted : sayDivergence(run.divergence());
  });
}

function sayDivergence(divergence: Divergence | undefined): number {
  if (!divergence) return EXIT.success;
  process.stderr.write(
    `warning: this release cannot replay the history: ${divergence.message}. ` +
      'Events after that point are not what happened; `noetl-temporal replay` has details.\n',
  );
  return EXIT.failed;
}

/** Prints the state after the event of that position. */
export async function printStateAt(named: readonly string[], at: string, where: PortFlags): Promise<number> {
  const seq = Number(at);
  if (!Number.isInteger(seq) || seq < 1)
    throw new UsageError(`--state-at ${at}: expected the seq of an event, 1 or more`);
  const state = await withHistory(named, where, (run) => run.stateAt(seq));
  await print(JSON.stringify(state, null, 2));
  return EXIT.success;
}
