/** How many executions with the same key run at once: holders, and a queue in order of arrival. */
import { type LimitRequest, MOST_ASKERS } from '../../language/plan';
import { type KeeperEntry, isSame, type Keeper, holderNames, type KeeperOutbox, shown } from './keeper';

interface Holder extends KeeperEntry {
  /** It was asked to end in favor of another. */
  readonly cancelled?: true;
}

export interface ConcurrencyState {
  limit: number;
  holders: Holder[];
  /** Oldest first. */
  queue: KeeperEntry[];
}

export class ConcurrencyKeeper implements Keeper {
  readonly due = undefined;

  constructor(
    private readonly key: string,
    private readonly outbox: KeeperOutbox,
    readonly state: ConcurrencyState = { limit: 1, holders: [], queue: [] },
  ) {}

  ask(request: LimitRequest, now: number): void {
    const { execution, workflow, concurrency } = request;
    const { state } = this;
    if (!concurrency) return;
    const { limit, on_conflict, inside } = concurrency;
    const asker: KeeperEntry = { execution, workflow, since: now };
    // The latest revision of the playbook decides.
    state.limit = limit;
    // A workflow id has one open run: an earlier execution under the same id is over.
    const isOver = (one: KeeperEntry): boolean => one.workflow === workflow && one.execution !== execution;
    state.holders = state.holders.filter((one) => !isOver(one));
    state.queue = state.queue.filter((one) => !isOver(one));
    this.advance(now);
    // Delivered again, or a reset run asks again.
    if (state.holders.some((one) => isSame(one, asker)))
      return this.outbox.answer(asker, { type: 'granted' });
    if (state.queue.some((one) => isSame(one, asker))) return this.tellQueued(asker);
    const holders = holderNames(state.holders);
    if (state.holders.length + state.queue.length >= MOST_ASKERS)
      return this.outbox.answer(asker, { type: 'refused', holders, full: true });
    if (state.holders.length < limit) return this.grant(asker, now);
    if (on_conflict === 'skip') return this.outbox.answer(asker, { type: 'skipped', by: holders });
    if (on_conflict === 'fail' || inside)
      return this.outbox.answer(asker, { type: 'refused', holders, ...(inside && { inside }) });
    state.queue.push(asker);
    this.tellQueued(asker);
    if (on_conflict === 'cancel_running') this.makeRoomFor(asker);
  }

  leave(execution: string, now: number): void {
    const { state } = this;
    const others = (one: KeeperEntry): boolean => one.execution !== execution;
    state.holders = state.holders.filter(others);
    state.queue = state.queue.filter(others);
    this.advance(now);
  }

  elapse(): void {
    // Nothing here depends on time.
  }

  get suspects(): readonly KeeperEntry[] {
    return this.state.queue.length > 0 ? this.state.holders : [];
  }

  get isIdle(): boolean {
    return this.state.holders.length === 0 && this.state.queue.length === 0;
  }

  get view() {
    const { limit, holders, queue } = this.state;
    return { limit, holders: holders.map(shown), waiting: queue.map(shown) };
  }

  private advance(now: number): void {
    const { state } = this;
    while (state.holders.length < state.limit) {
      const next = state.queue.shift();
      if (!next) return;
      this.grant(next, now);
    }
  }

  private grant({ execution, workflow }: KeeperEntry, now: number): void {
    this.state.holders.push({ execution, workflow, since: now });
    this.outbox.answer({ execution, workflow }, { type: 'granted' });
  }

  private tellQueued(asker: KeeperEntry): void {
    const { holders, queue } = this.state;
    this.outbox.answer(asker, {
      type: 'queued',
      holders: holderNames(holders),
      ahead: queue.findIndex((one) => isSame(one, asker)),
    });
  }

  /** Cancels the oldest executions until the new one will have a place. */
  private makeRoomFor({ execution }: KeeperEntry): void {
    const { state } = this;
    const reason = `execution ${execution} takes its place: the key ${JSON.stringify(this.key)} has a limit of ${state.limit}, and \`on_conflict\` is \`cancel_running\``;
    const kept = (): Holder[] => [...state.holders.filter((one) => !one.cancelled), ...state.queue];
    while (kept().length > state.limit) {
      const [oldest] = kept();
      if (!oldest || oldest.execution === execution) return;
      this.outbox.cancel(oldest, reason);
      state.holders = state.holders.map((one) => (one === oldest ? { ...one, cancelled: true } : one));
      state.queue = state.queue.filter((one) => one !== oldest);
    }
  }
}
