/** Iterations of the loops of a run, from its events. */
import { type EngineEvent, type LiveState } from '../../../engine/machine';
import { type Json } from '../../../language/plan';
import { type Call } from '../mocks/mocked-world';

export interface Iteration {
  readonly step: string;
  readonly index: number;
  readonly item: Json;
  /** The id of its pass through the pipeline. */
  readonly frame: string;
  status: 'not_started' | 'running' | 'done' | 'skipped' | 'failed' | 'cancelled';
  result: Json;
  error: Json;
}

const STATUS = { success: 'done', skipped: 'skipped', error: 'failed', cancelled: 'cancelled' } as const;

export class Iterations {
  private readonly loops = new Map<string, Iteration[]>();

  get all(): Iteration[] {
    return [...this.loops.values()].flat();
  }

  /** `state` is the engine's own state at the time of the event. */
  take(event: EngineEvent, state: LiveState): void {
    const { event_type: type, step_run_id: run, task_run_id: task, iteration, status, payload } = event;
    if (run === undefined || !type.startsWith('loop.')) return;
    const key = `${run} ${task ?? ''}`;
    if (type === 'loop.started') {
      const items = itemsOf(state, run, task);
      const step = run.slice(0, run.lastIndexOf('#'));
      const begun = { step, status: 'not_started', result: null, error: null } as const;
      this.loops.set(
        key,
        Array.from({ length: Number(payload['total']) }, (_, index) => ({
          ...begun,
          index,
          frame: `${task ?? run}[${index}]`,
          item: items[index] ?? null,
        })),
      );
    }
    const one = iteration === undefined ? undefined : this.loops.get(key)?.[iteration];
    if (!one) return;
    if (type === 'loop.iteration.started') one.status = 'running';
    if (type !== 'loop.iteration.done' && type !== 'loop.iteration.failed') return;
    one.status = STATUS[status as keyof typeof STATUS] ?? 'done';
    one.result = payload['result'] ?? null;
    one.error = payload['error'] ?? null;
  }
}

function itemsOf(state: LiveState, run: string, task: string | undefined): readonly Json[] {
  if (task === undefined) return [...(state.runs.get(run)?.loop?.items ?? [])];
  for (const frame of Object.values(state.frames.toRecord()))
    if (frame.taskRunId === task) return [...(frame.loop?.items ?? [])];
  return [];
}

/** The calls that an iteration made. */
export function iterationCalls(calls: readonly Call[], { frame }: Iteration): Call[] {
  return calls.filter(({ call }) => call.task_run_id.startsWith(`${frame}.`));
}
