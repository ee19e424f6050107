/** Calls of tools, as invariants see them. */
import { isWithin, type Json } from '../../../language/plan';
import { CANCELLED } from '../../drive';
import { type Call } from '../mocks/mocked-world';
import { type EngineEvent, type LiveState } from '../../../engine/machine';

/** What tools were asked to do until `now` (milliseconds since the epoch): one element for each execution. */
export class CallViews {
  /** Those that are settled no longer change. */
  private readonly settled = new Map<Call, Json[]>();

  constructor(private readonly startedAt: number) {}

  of(calls: readonly Call[], now: number): Json[] {
    return calls.flatMap((call) => this.settled.get(call) ?? this.view(call, now));
  }

  private view(entry: Call, now: number): Json[] {
    const { call, at, answer, cancelledAt } = entry;
    const endsAt = answer ? at + answer.after : Infinity;
    const isCancelled = cancelledAt !== undefined && cancelledAt < endsAt;
    const isOver = now >= Math.min(endsAt, cancelledAt ?? Infinity);
    const outcome = isOver ? (isCancelled ? CANCELLED : answer?.outcome) : undefined;
    const views = Array.from({ length: answer?.executions ?? 1 }, (_, i): Json => {
      const { task_run_id: id, step, task, kind, iteration, attempt, idempotency_key, input, config } = call;
      return {
        ...{ id, step, task, kind, iteration: iteration ?? null, attempt, execution: i + 1 },
        ...{ idempotency_key, input, config, at: (at - this.startedAt) / 1_000 },
        status: outcome?.status ?? 'running',
        result: outcome?.result ?? null,
        error: (outcome?.error ?? null) as Json,
        acted: outcome !== undefined && hasActed(outcome.error?.kind),
      };
    });
    if (outcome) this.settled.set(entry, views);
    return views;
  }
}

/** Whether the tool has, or may have, done its work. */
function hasActed(failure: string | undefined): boolean {
  return failure === undefined || failure === 'worker_lost' || failure === 'timeout';
}

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
  return calls.filter(({ call }) => isWithin(call.task_run_id, frame));
}
