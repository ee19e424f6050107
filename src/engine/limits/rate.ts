/**
 * Starts of tasks with the same key. A request reserves time slots, so that it costs one message for all tasks that
 * became ready together: no window of the period contains more than `limit` of them, and no share of it more than
 * `burst`.
 */
import { type LimitRequest, type RateRequest } from '../../language/plan';
import { type Keeper, type KeeperOutbox } from './keeper';

type Run = [at: number, count: number];

export interface RateState {
  limit: number;
  per: number;
  /** Reserved starts, oldest first: as many as a later one depends on. */
  taken: Run[];
}

export class RateKeeper implements Keeper {
  readonly suspects = [];

  /** Starts in `taken`: counted once, because a request may be for thousands. */
  private kept: number;

  constructor(
    private readonly outbox: KeeperOutbox,
    readonly state: RateState = { limit: 1, per: 0, taken: [] },
  ) {
    this.kept = state.taken.reduce((sum, [, count]) => sum + count, 0);
  }

  ask({ execution, workflow, rate }: LimitRequest, now: number): void {
    if (!rate) return;
    const { ref, count, limit, per_ms } = rate;
    Object.assign(this.state, { limit, per: per_ms });
    this.forget(limit);
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
    if (due === undefined || due > now) return;
    this.state.taken = [];
    this.kept = 0;
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
    // `forget` leaves no more than the window needs, so its first start is in the first run.
    const window = this.kept >= limit ? (taken[0]?.[0] ?? -Infinity) + per_ms : -Infinity;
    const share = nthLast(taken, Math.min(burst, limit)) + (per_ms * burst) / limit;
    const at = Math.ceil(Math.max(now, latest, window, share));
    add(taken, at);
    this.kept++;
    this.forget(limit);
    return at;
  }

  /** Keeps the latest `count` starts, at least. */
  private forget(count: number): void {
    const { taken } = this.state;
    for (let [first] = taken; first && this.kept - first[1] >= count; [first] = taken) {
      this.kept -= first[1];
      taken.shift();
    }
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
