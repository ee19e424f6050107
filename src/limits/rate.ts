/**
 * Starts of tasks with the same key. A request reserves time slots, so that it costs one message for all tasks that
 * became ready together: no window of the period contains more than `limit` of them, and no share of it more than
 * `burst`.
 */
import { type LimitRequest, type RateRequest } from '../plan';
import { type Keeper, type Outbox } from './keeper';

type Run = [at: number, count: number];

export interface RateState {
  limit: number;
  per: number;
  /** Reserved starts, oldest first: as many as a later one depends on. */
  taken: Run[];
}

export class RateKeeper implements Keeper {
  readonly suspects = [];

  constructor(
    private readonly outbox: Outbox,
    readonly state: RateState = { limit: 1, per: 0, taken: [] },
  ) {}

  ask({ execution, workflow, rate }: LimitRequest, now: number): void {
    if (!rate) return;
    const { ref, count, limit, per_ms } = rate;
    Object.assign(this.state, { limit, per: per_ms });
    const slots: Run[] = [];
    for (let n = 0; n < count; n++) add(slots, this.reserve(rate, now));
    this.outbox.answer({ execution, workflow }, { type: 'slots', ref, slots });
  }

  leave(): void {
    // A reserved slot is not given back: its time may already be in other executions' plans.
  }

  /** When the last reserved slot no longer matters. */
  get due(): number | undefined {
    const last = this.state.taken.at(-1);
    return last && last[0] + this.state.per;
  }

  elapse(now: number): void {
    const { due } = this;
    if (due !== undefined && due <= now) this.state.taken = [];
  }

  get isIdle(): boolean {
    return this.state.taken.length === 0;
  }

  get view() {
    return { limit: this.state.limit, holders: [], waiting: [] };
  }

  private reserve({ limit, per_ms, burst }: RateRequest, now: number): number {
    const { taken } = this.state;
    const latest = taken.at(-1)?.[0] ?? 0;
    const at = Math.ceil(
      Math.max(now, latest, nthLast(taken, limit) + per_ms, nthLast(taken, burst) + (per_ms * burst) / limit),
    );
    add(taken, at);
    forget(taken, limit);
    return at;
  }
}

function add(runs: Run[], at: number): void {
  const last = runs.at(-1);
  if (last?.[0] === at) last[1]++;
  else runs.push([at, 1]);
}

/** The time of the nth start from the end; -Infinity if there were fewer. */
function nthLast(runs: readonly Run[], n: number): number {
  let left = n;
  for (let index = runs.length - 1; index >= 0; index--) {
    const [at, count] = runs[index] ?? [0, 0];
    left -= count;
    if (left <= 0) return at;
  }
  return -Infinity;
}

/** Keeps the latest `count` starts, at least. */
function forget(runs: Run[], count: number): void {
  let kept = runs.reduce((sum, [, number]) => sum + number, 0);
  for (let [first] = runs; first && kept - first[1] >= count; [first] = runs) {
    kept -= first[1];
    runs.shift();
  }
}
