/** One signal for the two reasons a tool must stop: its task was cancelled, or its time is up. */
import { type Outcome, type TaskCall } from '../../../src/language/plan';
import { taskTimeout } from '../../../src/language/plan/kinds';
import { cancelledError, type OutcomeParts, timedOut, ToolError } from './outcome';

export interface Deadline {
  readonly signal: AbortSignal;
  /** The total timeout in seconds. */
  readonly seconds: number;
  /** Remaining milliseconds, at least 1. */
  remaining(): number;
  /** Why the signal was aborted, as the error to end with; `undefined` if it was not. */
  reason(parts?: OutcomeParts): ToolError | undefined;
  /** @throws ToolError `reason`, if the tool must stop */
  readonly check: () => void;
}

/** Runs `work` under the call's total timeout (src/language/plan/kinds.ts) and the cancellation signal. */
export async function withDeadline(
  call: TaskCall,
  signal: AbortSignal,
  work: (deadline: Deadline) => Promise<Outcome>,
): Promise<Outcome> {
  const seconds = taskTimeout(call);
  const ends = performance.now() + seconds * 1000;
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(
    () => {
      expired = true;
      controller.abort();
    },
    Math.min(seconds * 1000, 2 ** 31 - 1),
  );
  const onCancel = (): void => controller.abort();
  const reason = (parts?: OutcomeParts): ToolError | undefined => {
    if (signal.aborted && !expired) return cancelledError(parts);
    return expired ? timedOut(call.kind, seconds, parts) : undefined;
  };
  if (signal.aborted) onCancel();
  else signal.addEventListener('abort', onCancel, { once: true });
  try {
    return await work({
      signal: controller.signal,
      seconds,
      remaining: () => Math.max(1, Math.ceil(ends - performance.now())),
      reason,
      check() {
        const stopped = reason();
        if (stopped) throw stopped;
      },
    });
  } catch (error) {
    // Errors caused by being stopped are reported as the reason for stopping.
    throw (isStop(error) ? undefined : reason()) ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onCancel);
  }
}

/** The tool's own error for it, which may contain more. */
function isStop(error: unknown): boolean {
  return error instanceof ToolError && /^(timeout|cancelled)$/.test(error.outcome.error!.kind);
}
