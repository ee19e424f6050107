/** The activity of `exec: local`: runs the machine for some seconds, on queue `noetl-local`. */
import { type LeaseAnswer, type LeaseInput, type RunTask } from '../../../src/engine/machine';
import { compressible, grantOf, inlineBytesOf, limitInline, withGrant } from '../../../src/storage/payloads';
import { type Outcome, withoutDetails } from '../../../src/language/plan';
import { runHidden, type ToolServices } from '../activity/activity';
import { type ActivityPort, workerStopping } from '../activity/attempt';
import { failedTask } from '../tool/outcome';
import { TaskSlots } from '../tool/slots';
import { type Tool } from '../tool/tool';
import { LeaseDrive } from './drive';

/** The parts of Temporal's activity context that the adapter uses. */
export interface LocalActivityPort extends ActivityPort {
  /** Details of the last heartbeat of the lost worker. */
  readonly lastHeartbeat: unknown;
}

const HEARTBEAT_INTERVAL_MS = 500;
/** Temporal rejects heartbeats of 2 MiB. */
const MAX_HEARTBEAT_BYTES = 1024 * 1024;

/** This worker's tools, by kind. */
export type Tools = ReadonlyMap<string, Tool>;

/**
 * Creates the activity function.
 *
 * @param current returns Temporal's context of the running activity
 * @param slotsOf tasks of a kind that may run at once in all of these activities together; undefined: any number
 */
export function localActivity(
  tools: Tools,
  services: ToolServices,
  current: () => LocalActivityPort,
  slotsOf: (kind: string) => number | undefined = () => undefined,
): (input: LeaseInput) => Promise<LeaseAnswer> {
  const slots = new Map(
    [...tools.keys()].flatMap((kind) => {
      const limit = slotsOf(kind);
      return limit === undefined ? [] : [[kind, new TaskSlots(limit)] as const];
    }),
  );
  return async (input) => {
    const port = current();
    const before = port.lastHeartbeat as LeaseAnswer | undefined;
    const leaving = rejectWhen(services.stopping);
    const drive = new LeaseDrive(input, before, {
      run: (task, signal) => {
        withGrant(task.call, grantOf(input));
        const work = (): Promise<Outcome> => run(task, tools, services, signal);
        return slots.get(task.call.kind)?.through(signal, work) ?? work();
      },
      cancelled: port.cancellationSignal,
      leaving: leaving.promise,
      now: () => Date.now(),
    });
    let details: unknown = before;
    const timer = setInterval(() => {
      const { answer } = drive;
      // Too large a heartbeat would fail the activity; from an older one, tasks merely run again.
      if (Buffer.byteLength(JSON.stringify(answer)) <= MAX_HEARTBEAT_BYTES)
        details = { trace: [...answer.trace] };
      port.heartbeat(details);
    }, HEARTBEAT_INTERVAL_MS);
    try {
      return limitInline(compressible(await drive.run()), inlineBytesOf(input.plan));
    } finally {
      clearInterval(timer);
      leaving.release();
    }
  };
}

async function run(
  { call }: RunTask,
  tools: Tools,
  services: ToolServices,
  signal: AbortSignal,
): Promise<Outcome> {
  const tool = tools.get(call.kind);
  if (tool) return withoutDetails(await runHidden(tool, call, services, signal), call);
  const message = `tools of kind ${call.kind} cannot run with \`exec: local\`: remove it`;
  return failedTask({ kind: 'validation', code: 'KIND_UNAVAILABLE', message, retryable: false });
}

/** Rejects when the worker must shut down; unregistered at the end, because a worker lives for many tasks. */
function rejectWhen(signal: AbortSignal | undefined): { promise: Promise<never>; release(): void } {
  let abort = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    abort = () => reject(workerStopping());
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
  promise.catch(() => undefined);
  return { promise, release: () => signal?.removeEventListener('abort', abort) };
}
