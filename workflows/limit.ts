/**
 * The keeper of a key (docs/design/limits.md#a-keeper-for-each-key): a workflow that decides which executions with the
 * key may run, and when. It is started by the first execution that asks, and ends when it has nothing to remember.
 */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  scheduleActivity,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Asker,
  HOLDERS_ACTIVITY,
  type KeeperInput,
  type KeeperView,
  type LimitRequest,
} from '../src/language/plan';
import {
  askSignal,
  cancelSignal,
  keeperQuery,
  leaveSignal,
  limitSignal,
} from '../src/temporal/contract/definitions';
import { type KeeperAnswer, type Keeper, keeperOf, type KeeperOutbox } from '../src/engine/limits';
import { isLimitRequest } from '../src/temporal/contract/messages';

/** How soon the holders of a contended key are checked, in milliseconds; then twice as long, up to the maximum. */
const FIRST_CHECK_MS = 5_000;
const MAX_CHECK_MS = 60_000;

/** @throws nothing: it ends when no execution needs it */
export async function limit(input: KeeperInput): Promise<void> {
  await new Run(input).toTheEnd();
}

class Run implements KeeperOutbox {
  private readonly keeper: Keeper;
  /** Changes to apply, in order of arrival. */
  private readonly inbox: ((now: number) => void)[] = [];
  /** Messages that Temporal has not delivered yet. */
  private underWay = 0;
  /** The time of the timer, and what stops it. */
  private alarm: { readonly at: number; readonly scope: CancellationScope } | undefined;
  private checking: 'no' | 'waiting' | 'asking' = 'no';
  private patience = FIRST_CHECK_MS;

  constructor(private readonly input: KeeperInput) {
    this.keeper = keeperOf(input, this);
    const later = (change: (now: number) => void): void => void this.inbox.push(change);
    setHandler(askSignal, (request: LimitRequest) => {
      if (isLimitRequest(request)) later((now) => this.keeper.ask(request, now));
    });
    setHandler(leaveSignal, (execution: string) => later((now) => this.keeper.leave(execution, now)));
    setHandler(keeperQuery, (): KeeperView => ({ ...input.kept, ...this.keeper.view }));
  }

  async toTheEnd(): Promise<void> {
    // It was started by a request, which may be delivered after the start.
    if (this.input.state === undefined) await condition(() => this.inbox.length > 0);
    for (;;) {
      for (const change of this.inbox.splice(0)) change(Date.now());
      this.setAlarm();
      this.watch();
      if (this.isOver) return;
      if (workflowInfo().continueAsNewSuggested) await this.continue();
      await condition(() => this.inbox.length > 0 || this.isOver);
    }
  }

  answer({ execution, workflow }: Asker, answer: KeeperAnswer): void {
    const { workflowId } = workflowInfo();
    void this.send(execution, () =>
      getExternalWorkflowHandle(workflow).signal(limitSignal, { keeper: workflowId, execution, ...answer }),
    );
  }

  /** First the reason, then Temporal's own request, as every cancellation. */
  cancel({ execution, workflow }: Asker, reason: string): void {
    void this.send(execution, async () => {
      const handle = getExternalWorkflowHandle(workflow);
      await handle.signal(cancelSignal, { reason });
      await handle.cancel().catch(() => undefined);
    });
  }

  /** An execution that can no longer be reached has ended. */
  private async send(execution: string, sent: () => Promise<void>): Promise<void> {
    this.underWay++;
    await sent().catch(() => this.inbox.push((now) => this.keeper.leave(execution, now)));
    this.underWay--;
  }

  private get isOver(): boolean {
    return this.keeper.isIdle && this.inbox.length === 0 && this.underWay === 0;
  }

  /** A later due time leaves the timer alone: it is set again when it has fired. */
  private setAlarm(): void {
    const { due } = this.keeper;
    if (due === undefined || (this.alarm && this.alarm.at <= due)) return;
    this.alarm?.scope.cancel();
    const scope = new CancellationScope();
    this.alarm = { at: due, scope };
    void scope
      .run(() => sleep(Math.max(1, due - Date.now()), { summary: 'due' }))
      .then(
        () => {
          this.alarm = undefined;
          this.inbox.push((now) => this.keeper.elapse(now));
        },
        () => undefined,
      );
  }

  /** While executions wait, the holders are checked: one that was terminated never says that it has ended. */
  private watch(): void {
    if (this.keeper.suspects.length === 0) this.patience = FIRST_CHECK_MS;
    else if (this.checking === 'no') {
      this.checking = 'waiting';
      void this.check();
    }
  }

  private async check(): Promise<void> {
    await sleep(this.patience, { summary: 'check holders' });
    this.patience = Math.min(2 * this.patience, MAX_CHECK_MS);
    const holders = this.keeper.suspects.map(({ execution, workflow }) => ({ execution, workflow }));
    this.checking = 'asking';
    const departed =
      holders.length === 0
        ? []
        : await scheduleActivity<string[]>(HOLDERS_ACTIVITY, [holders], {
            taskQueue: workflowInfo().taskQueue,
            startToCloseTimeout: '30s',
            retry: { initialInterval: 1000, maximumInterval: '1 minute' },
            summary: 'which holders have ended',
          });
    this.checking = 'no';
    this.inbox.push((now) => {
      for (const execution of departed) this.keeper.leave(execution, now);
    });
  }

  private async continue(): Promise<void> {
    await condition(() => this.inbox.length > 0 || (this.underWay === 0 && this.checking !== 'asking'));
    if (this.inbox.length > 0) return;
    await condition(allHandlersFinished);
    const { state } = this.keeper;
    const next = makeContinueAsNewFunc<typeof limit>({ memo: workflowInfo().memo ?? {} });
    await next({ kept: this.input.kept, state });
  }
}
