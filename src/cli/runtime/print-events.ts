/** What `events` prints. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type State } from '../../engine';
import { Derivation, eventStream, followEvents, PROFILES, type ProfileName, stateAt } from '../../history';
import { isAborted, isTransient, SupersededError } from '../../temporal';
import { EXIT, UsageError } from '../errors';
import { type EventFormat, eventWriter } from '../output/event-lines';
import { print } from '../output/say';
import { asUsage, openRecorded, type RecordedRun } from './recorded-run';
import { onInterrupt } from './signals';

export interface PrintOptions {
  readonly profile: ProfileName;
  readonly format: EventFormat;
  readonly follow?: boolean;
  readonly data?: string;
  /** Where large values are stored. */
  readonly storage?: string;
  /** Prints them too, not references to them. */
  readonly bodies?: boolean;
}

/** @returns the exit code: 1 when this build does not follow the history */
export async function printEvents(named: readonly string[], options: PrintOptions): Promise<number> {
  const run = await openRecorded(named, options.data, options.storage);
  const { converter } = run;
  const { bodies } = options;
  const writer = eventWriter(options.format, PROFILES[options.profile].project(), process.stdout);
  const stop = new AbortController();
  const quiet = onInterrupt(() => stop.abort());
  const derivation = new Derivation({ converter, bodies });
  try {
    const events =
      options.follow && run.client
        ? followed(run, stop.signal, bodies)
        : eventStream(run.pages(), derivation);
    for await (const some of events) await writer.write(some);
    await writer.end();
  } catch (error) {
    if (!stop.signal.aborted || !isAborted(error)) asUsage(error);
    await writer.end();
    return EXIT.interrupted;
  } finally {
    quiet();
    await run.close();
  }
  return sayDivergence(derivation);
}

function sayDivergence({ divergence }: Derivation): number {
  if (!divergence) return EXIT.success;
  process.stderr.write(
    `warning: this release does not follow the history: ${divergence.message}. ` +
      'What follows that event is not what happened; `noetl-temporal replay` says more.\n',
  );
  return EXIT.failed;
}

/** A server that does not answer for this long is gone. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

/** The events of an execution as they come, through lost connections and resets. */
export function followed(
  run: RecordedRun,
  signal: AbortSignal,
  bodies?: boolean,
): ReturnType<typeof followEvents> {
  let since = 0;
  return followEvents({
    converter: run.converter,
    bodies,
    open: () => run.pages({ follow: true, signal }),
    again: async (error, failures) => {
      if (error instanceof SupersededError) return true;
      if (signal.aborted || !isTransient(error)) return false;
      if (failures === 1) {
        since = performance.now();
        process.stderr.write('the Temporal server does not answer; waiting for it\n');
      }
      if (performance.now() - since > PATIENCE_MS) return false;
      await sleep(PAUSE_MS);
      return true;
    },
  });
}

/** Prints the state as it was when the event of that position was told. */
export async function printStateAt(
  named: readonly string[],
  at: string,
  where: Pick<PrintOptions, 'data' | 'storage'>,
): Promise<number> {
  const seq = Number(at);
  if (!Number.isInteger(seq) || seq < 1)
    throw new UsageError(`--state-at ${at}: expected the seq of an event, 1 or more`);
  const run = await openRecorded(named, where.data, where.storage);
  let found: { state: State | undefined; lastSeq: number };
  try {
    found = await stateAt(run.pages(), seq, { converter: run.converter });
  } catch (error) {
    asUsage(error);
  } finally {
    await run.close();
  }
  if (!found.state) throw new UsageError(`--state-at ${at}: the execution has ${found.lastSeq} events`);
  await print(JSON.stringify(found.state, null, 2));
  return EXIT.success;
}
