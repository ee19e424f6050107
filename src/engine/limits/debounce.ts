/** Of executions with the same key in quick succession, only the last one runs, after a time without a newer one. */
import { type LimitRequest } from '../../language/plan';
import { type KeeperEntry, isSame, type Keeper, type KeeperOutbox, shown } from './keeper';

interface Waiting extends KeeperEntry {
  /** When the first of the executions that it superseded arrived, or itself. */
  readonly first: number;
  readonly until: number;
}

export interface DebounceState {
  waiting?: Waiting;
}

export class DebounceKeeper implements Keeper {
  readonly suspects = [];

  constructor(
    private readonly outbox: KeeperOutbox,
    readonly state: DebounceState = {},
  ) {}

  ask({ execution, workflow, debounce }: LimitRequest, now: number): void {
    if (!debounce) return;
    const { period_ms, max_wait_ms = Infinity } = debounce;
    const before = this.state.waiting;
    const asker: KeeperEntry = { execution, workflow, since: now };
    if (before && isSame(before, asker)) return this.tell(before);
    if (before) this.outbox.answer(before, { type: 'skipped', by: [execution] });
    const first = before?.first ?? now;
    const waiting = { ...asker, first, until: Math.min(now + period_ms, first + max_wait_ms) };
    this.state.waiting = waiting;
    this.tell(waiting);
  }

  leave(execution: string): void {
    if (this.state.waiting?.execution === execution) delete this.state.waiting;
  }

  get due(): number | undefined {
    return this.state.waiting?.until;
  }

  elapse(now: number): void {
    const { waiting } = this.state;
    if (!waiting || waiting.until > now) return;
    delete this.state.waiting;
    this.outbox.answer(waiting, { type: 'granted' });
  }

  get isIdle(): boolean {
    return this.state.waiting === undefined;
  }

  get view() {
    const { waiting } = this.state;
    return { limit: null, holders: [], waiting: waiting ? [shown(waiting)] : [] };
  }

  private tell(waiting: Waiting): void {
    this.outbox.answer(waiting, { type: 'queued', holders: [], ahead: 0, until: waiting.until });
  }
}
