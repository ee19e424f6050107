/** Leases of `exec: local`: the machine moves into an activity for some seconds. */
import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  scheduleActivity,
  workflowInfo,
} from '@temporalio/workflow';
import { type LeaseAnswer, type LeaseInput, type StartLease } from '../src/engine/machine';
import { compressible, inlineBytesOf, limitInline, requestGrant } from '../src/storage/payloads';
import { DEFAULT_POOL, grantRequestOfLease, LOCAL_KIND, type Plan, taskQueue } from '../src/language/plan';
import { CRASH_RETRY } from './crashes';
import { leaseEnd, leaseLost } from '../src/temporal/contract/outcomes';
import { fairly } from './effects';
import { type InputQueue } from './queue';

export class TaskLeases {
  private readonly scopes = new Map<string, CancellationScope>();

  constructor(
    private readonly queue: InputQueue,
    private readonly plan: Plan,
  ) {}

  start({ ref, state, tasks, pool, summary, priority }: StartLease): void {
    const { plan } = this;
    const input: LeaseInput = limitInline(compressible({ plan, state, tasks, pool }), inlineBytesOf(plan));
    const { workflowId: workflow } = workflowInfo();
    const activity = { workflow, task: ref, kind: LOCAL_KIND, pool: pool ?? DEFAULT_POOL };
    const calls = tasks.map(({ call }) => call);
    const named = { plan, calls, secrets: state.secrets };
    requestGrant(input, grantRequestOfLease(activity, state.executionId, named));
    const scope = new CancellationScope();
    this.scopes.set(ref, scope);
    const options = {
      ...LEASE,
      activityId: ref,
      taskQueue: taskQueue(LOCAL_KIND, pool),
      summary,
      ...fairly(priority),
    };
    void scope
      .run(() => scheduleActivity<LeaseAnswer>(LOCAL_KIND, [input], options))
      .then(
        (answer) => leaseEnd(ref, answer),
        (failure: unknown) => leaseLost(ref, failure),
      )
      .then((ended) => {
        this.scopes.delete(ref);
        this.queue.pushCompletion(ref, ended);
      });
  }

  cancel(ref: string): void {
    this.scopes.get(ref)?.cancel();
  }
}

const LEASE: ActivityOptions = {
  // A lease takes as long as its tasks, each of which has its own time limit.
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '10s',
  retry: CRASH_RETRY,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};
