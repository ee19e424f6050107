/** Why executions failed, from the last event of their history. Kept, because it never changes. */
import { type Client } from '@temporalio/client';
import { type FailureGroupCause, failureGroupOf } from '../../bulk';
import { type VisibleExecution } from '../../../temporal/client';

const KEPT = 5_000;
/** By run of Temporal. */
const kept = new Map<string, Promise<FailureGroupCause>>();

export class Ends {
  constructor(private readonly client: Client) {}

  /** Of one that failed. @throws ServiceError */
  causeOf(info: VisibleExecution): Promise<FailureGroupCause> {
    const { runId } = info;
    const before = kept.get(runId);
    if (before) return before;
    const cause = failureGroupOf(this.client, info);
    kept.set(runId, cause);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
    cause.catch(() => kept.delete(runId));
    return cause;
  }

  /** As a sentence; null if that is not known. */
  async whyFailed(info: VisibleExecution): Promise<string | null> {
    return await this.causeOf(info).then(
      ({ message }) => message,
      () => null,
    );
  }
}
