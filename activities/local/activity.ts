/** The activity of `exec: local` (D20): one iteration's whole pipeline, on queue `noetl-local`. */
import { type LocalAnswer, type LocalInput, type RunTask } from '../../src/engine';
import { compressible, inlineBytesOf, limitInline } from '../../src/payloads';
import { type Outcome } from '../../src/plan';
import { type ActivityPort, runHidden, type ToolServices, workerStopping } from '../activity';
import { failed } from '../outcome';
import { type Tool } from '../tool';
import { type Checkpoint, driveLocal } from './drive';

/** What the adapter needs of Temporal's context of the running activity. */
export interface LocalActivityPort extends ActivityPort {
  /** Details of the last heartbeat of the worker that died at it. */
  readonly lastHeartbeat: unknown;
}

const HEARTBEAT_INTERVAL_MS = 1000;
/** Temporal refuses heartbeats of 2 MiB. */
const MAX_CHECKPOINT_BYTES = 1024 * 1024;

/** The tools of this worker, by kind. */
export type Tools = ReadonlyMap<string, Tool>;

/** The activity function. `current` gives Temporal's context of the running activity. */
export function localActivity(
  tools: Tools,
  services: ToolServices,
  current: () => LocalActivityPort,
): (input: LocalInput) => Promise<LocalAnswer> {
  return async (input) => {
    const port = current();
    let checkpoint = port.lastHeartbeat as Checkpoint | undefined;
    const beat = (): void => port.heartbeat(checkpoint);
    const timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
    const leaving = rejectWhen(services.stopping);
    try {
      const answer = await driveLocal(input, checkpoint, {
        run: (task, signal) => run(task, tools, services, signal),
        checkpoint(next) {
          // One too large for a heartbeat would fail the activity; from an older one tasks run again.
          if (Buffer.byteLength(JSON.stringify(next)) > MAX_CHECKPOINT_BYTES) return;
          checkpoint = next;
          beat();
        },
        cancelled: port.cancellationSignal,
        leaving: leaving.promise,
        now: () => Date.now(),
      });
      return limitInline(compressible(answer), inlineBytesOf(input.plan));
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
  if (tool) return await runHidden(tool, call, services, signal, () => undefined);
  const message = `a local loop cannot run tools of kind ${call.kind}: leave \`exec\` out`;
  return failed({ kind: 'validation', code: 'KIND_UNAVAILABLE', message, retryable: false });
}

/** Rejects when the worker has to leave; released at the end, because a worker lives for many tasks. */
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
