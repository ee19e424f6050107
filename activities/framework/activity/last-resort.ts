/**
 * Handles tools that do not stop when they should: their task ends with an outcome before Temporal's start-to-close
 * timeout would end it without one.
 */
import { type Outcome, type TaskCall } from '../../../src/language/plan';
import { taskTimeout } from '../../../src/language/plan/kinds';
import { ToolError } from '../tool/outcome';
import { type ToolContext } from '../tool/tool';

/** Time for a tool to stop what it started; half of Temporal's grace (src/language/plan/kinds.ts). */
export const STOP_MS = 10_000;
/** Maximum delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Returns the outcome of `work`. @throws ToolError `TIMEOUT` or `CANCELLED` if it is still running 10 s after it should
 * have stopped
 */
export async function withLastResort(
  call: TaskCall,
  { signal, log }: Pick<ToolContext, 'signal' | 'log'>,
  work: Promise<Outcome>,
  stopMs = STOP_MS,
): Promise<Outcome> {
  const seconds = taskTimeout(call);
  const timers: NodeJS.Timeout[] = [];
  let onAbort: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    const after = (ms: number, kind: 'timeout' | 'cancelled', when: string): void => {
      const end = (): void => {
        const { kind: tool, task_run_id, execution_id } = call;
        log.warn({ task_run_id, execution_id }, `a tool did not stop ${when}`);
        const message = `${tool} did not stop ${when}; the worker no longer waits for it, but it may still be running there`;
        const code = kind === 'timeout' ? 'TIMEOUT' : 'CANCELLED';
        reject(new ToolError({ kind, code, message, retryable: kind === 'timeout' }));
      };
      timers.push(setTimeout(end, Math.min(ms, LONGEST_MS)));
    };
    after(seconds * 1000 + stopMs, 'timeout', `within ${stopMs / 1000} s of its time limit, ${seconds} s`);
    onAbort = () => after(stopMs, 'cancelled', `within ${stopMs / 1000} s of being cancelled`);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // A late outcome is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    timers.forEach(clearTimeout);
  }
}
