/** Calls of tools, as invariants see them. */
import { type Json } from '../../../language/plan';
import { CANCELLED } from '../../drive';
import { type Call } from '../mocks/mocked-world';

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
