/** Limits by key: places for executions, a time without newer ones, slots for tasks (docs/limits.md). */
import { type Flow, Gate } from './clock';
import { type Dict, type KeyLimits, type RateLimit } from './document';
import { type Execution } from './run';
import { type Names, valueOf } from './values';

/** Another execution that asks for the same key. Milliseconds after the start; without `ends` it stays. */
export interface Other {
  readonly execution: string;
  readonly arrives: number;
  readonly ends?: number | undefined;
}

/** It does not run at all. */
export type Refusal = { readonly skipped: Dict } | { readonly code: string };

const OURS = 'ours';
/** A slot that is not used for so long is given up. */
const STALE_MS = 10_000;

export class Limits {
  private readonly slots = new Map<string, number[]>();
  private readonly asking = new Map<string, string>();

  constructor(
    private readonly execution: Execution,
    private readonly limits: KeyLimits,
    private readonly others: readonly Other[],
  ) {}

  get isFree(): boolean {
    return this.limits.concurrency === undefined && this.limits.debounce === undefined;
  }

  /** Before its first step: undefined when it may run. */
  *enter(): Flow<Refusal | undefined> {
    const { debounce, concurrency } = this.limits;
    const refusal = debounce && (yield* this.quiet(debounce));
    return refusal ?? (concurrency && (yield* this.placed(concurrency)));
  }

  /** Without a newer one for a time. */
  private *quiet(raw: Dict): Flow<Refusal | undefined> {
    const { clock } = this.execution;
    const until = 1000 * Math.min(this.number(raw['period']), this.number(raw['max_wait'] ?? Infinity));
    const newer = this.others.filter(({ arrives }) => arrives > 0 && arrives < until);
    const [first] = newer.sort((a, b) => a.arrives - b.arrives);
    yield { until: first ? first.arrives : Math.max(until, clock.now) };
    return first && this.skipped('debounce', raw, [first.execution]);
  }

  private *placed(raw: Dict): Flow<Refusal | undefined> {
    const place = new Place(this.number(raw['limit']), String(raw['on_conflict'] ?? 'queue'), this.execution);
    for (const other of this.others.filter(({ arrives }) => arrives <= 0)) place.ask(other.execution);
    const { clock } = this.execution;
    for (const { execution, arrives, ends } of this.others) {
      if (arrives > 0) clock.start(at(arrives, () => place.ask(execution)));
      if (ends !== undefined) clock.start(at(ends, () => place.leave(execution)));
    }
    const answer = place.ask(OURS);
    if (answer === 'fail') return { code: 'LIMIT_REACHED' };
    if (answer === 'skip') return this.skipped('concurrency', raw, place.holders);
    while (!place.holders.includes(OURS)) yield place.gate;
    return undefined;
  }

  /** A task waits until one more of its key may start. */
  *slot(rate: RateLimit | undefined, names: Names, step: string): Flow<void> {
    if (!rate) return;
    const { clock, outside } = this.execution;
    const key = String(valueOf(rate.key, names));
    for (;;) {
      this.meets(`slot of ${key} ${clock.now}`, step);
      const slot = this.reserve(key, rate, names);
      yield { until: slot };
      yield* outside.unpaused();
      if (clock.now - slot <= STALE_MS) return;
    }
  }

  /** No document orders the steps that ask for a slot at one moment. */
  private meets(moment: string, step: string): void {
    const { begun } = this.execution.outside;
    if ((this.asking.get(moment) ?? step) !== step) begun.push(moment, moment);
    this.asking.set(moment, step);
  }

  /** At most `limit` in any period, and at most `burst` in its share of it. */
  private reserve(key: string, { limit, per, burst }: RateLimit, names: Names): number {
    const starts = this.slots.get(key) ?? [];
    const most = Number(valueOf(limit, names));
    const atOnce = Math.min(most, Number(valueOf(burst ?? most, names)));
    const period = Number(valueOf(per, names)) * 1000;
    const after = (count: number, time: number): number =>
      starts.length < count ? 0 : starts.at(-count)! + time;
    const slot = Math.max(
      this.execution.clock.now,
      after(1, 0),
      after(most, period),
      after(atOnce, (period * atOnce) / most),
    );
    this.slots.set(key, [...starts, slot]);
    return slot;
  }

  private skipped(limit: string, { key }: Dict, by: readonly string[]): Refusal {
    const names = [{ workload: this.execution.workload }];
    return { skipped: { status: 'skipped', limit, key: String(valueOf(key, names)), by: [...by] } };
  }

  private number(raw: unknown): number {
    const { workload } = this.execution;
    return Number(valueOf(raw, [{ workload }]));
  }
}

/** Who holds a key, and who waits for it. */
class Place {
  readonly holders: string[] = [];
  readonly gate = new Gate();
  private readonly queue: string[] = [];

  constructor(
    private readonly limit: number,
    private readonly onConflict: string,
    private readonly execution: Execution,
  ) {}

  ask(who: string): 'wait' | 'skip' | 'fail' {
    if (this.holders.length >= this.limit && (this.onConflict === 'skip' || this.onConflict === 'fail'))
      return this.onConflict;
    this.queue.push(who);
    const [oldest] = this.holders;
    if (this.holders.length >= this.limit && this.onConflict === 'cancel_running') {
      if (oldest === OURS) this.execution.cancel();
      else this.leave(oldest!);
    }
    this.advance();
    return 'wait';
  }

  leave(who: string): void {
    for (const all of [this.holders, this.queue]) if (all.includes(who)) all.splice(all.indexOf(who), 1);
    this.advance();
  }

  private advance(): void {
    while (this.holders.length < this.limit && this.queue.length > 0) this.holders.push(this.queue.shift()!);
    this.execution.clock.open(this.gate);
  }
}

function* at(time: number, act: () => void): Flow<void> {
  yield { until: time };
  act();
}
