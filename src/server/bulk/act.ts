/** One batch of a bulk operation. Every action may be repeated: signals do no harm twice, a rerun has a fixed id. */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { CodedError, hasCode, messageOf } from '../../language/errors';
import { prepareRerun } from '../../history';
import {
  type BulkBatch,
  type BulkOutcome,
  type BulkVerb,
  compact,
  isMapping,
  type Plan,
  rerunIdOf,
  workflowId,
} from '../../language/plan';
import { replayHistory } from '../../offline/replay';
import {
  cancelFamily,
  executionPages,
  isTransient,
  locate,
  startExecution,
  steer,
  workflowIdOf,
} from '../../temporal/client';
import { inputOfRun } from './operations';
import { inParallel } from '../../language/plan/in-parallel';

type Prepared = Awaited<ReturnType<typeof prepareRerun>>;

/** Prepares the rerun of an execution. @throws as `prepareRerun` */
export type Prepare = (
  id: string,
  request: Omit<Parameters<typeof prepareRerun>[1], 'converter'>,
) => Promise<Pick<Prepared, 'input' | 'origin' | 'labels'>>;

export interface Acting {
  readonly client: Client;
  /** That of the client, not loaded: for Temporal's replayer. */
  readonly dataConverter: DataConverter;
  /** Whether the batch is tried again after an error that may pass; otherwise that is an outcome too. */
  readonly isTriedAgain: boolean;
  /** Away from this event loop; by default on it. */
  readonly prepare?: Prepare;
}

type Result = Omit<BulkOutcome, 'execution_id'>;
type Act = (acting: Acting, id: string, request: BulkItem) => Promise<Result>;
interface BulkItem extends BulkBatch {
  /** Place of the execution in the operation. */
  readonly index: number;
  readonly revision: Plan | undefined;
}

const DONE: Result = { outcome: 'done' };

const ACTS: Readonly<Record<BulkVerb, Act>> = {
  rerun,
  async cancel({ client }, id, { options: { reason, cascade = false } }) {
    await cancelFamily(client, await workflowIdOf(client, id), { reason, cascade });
    return DONE;
  },
  async pause({ client }, id, { options: { reason } }) {
    await steer(client, await workflowIdOf(client, id), 'pause', reason);
    return DONE;
  },
  async resume({ client }, id) {
    await steer(client, await workflowIdOf(client, id), 'resume');
    return DONE;
  },
  async replay({ client, dataConverter }, id) {
    const { workflowId: name } = await locate(client, id);
    const converter = client.options.loadedDataConverter;
    const pages = (): ReturnType<typeof executionPages> => executionPages(client, id);
    const { ok, divergence } = await replayHistory({ id: name, converter, dataConverter, pages });
    return ok
      ? DONE
      : {
          outcome: 'failed',
          code: 'REPLAY_DIVERGED',
          message: divergence?.message.slice(0, LONGEST_MESSAGE),
        };
  },
};

/** Executions of a batch handled at once. */
const AT_ONCE = 4;
/** Of an outcome's message: thousands of outcomes are one value in history. */
const LONGEST_MESSAGE = 200;

/**
 * @param beat called after each execution
 * @throws errors that retrying the batch may overcome; all others are outcomes
 */
export async function actOnBatch(acting: Acting, batch: BulkBatch, beat: () => void): Promise<BulkOutcome[]> {
  const { client } = acting;
  const revision =
    batch.runId === undefined ? undefined : (await inputOfRun(client, batch.bulk, batch.runId)).revision;
  return await inParallel(AT_ONCE, batch.executions, async (id, place) => {
    const request = { ...batch, index: batch.first + place, revision };
    const result = await ACTS[batch.verb](acting, id, request).catch((error: unknown) => {
      if (acting.isTriedAgain && mayPass(error)) throw error;
      return failed(error);
    });
    beat();
    return { execution_id: id, ...result };
  });
}

function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof CodedError && error.retryable);
}

/** Ended executions cannot be controlled, and need not be. */
function failed(error: unknown): Result {
  const message = messageOf(error).slice(0, LONGEST_MESSAGE);
  const code = error instanceof CodedError ? error.code : 'INTERNAL';
  return { outcome: hasCode(error, 'EXECUTION_OVER') ? 'skipped' : 'failed', code, message };
}

async function rerun(
  { client, prepare = preparedHere(client) }: Acting,
  id: string,
  request: BulkItem,
): Promise<Result> {
  const executionId = rerunIdOf(request.bulk, request.index);
  const done: Result = { outcome: 'done', rerun: executionId };
  // Reading the history twice more would only find that it is done.
  if (await isRerunOf(client, executionId, id, request.bulk)) return done;
  const { from, fromFailure } = request.options;
  const about = { executionId, ...compact({ from, fromFailure, revision: request.revision }) };
  const { input, origin, labels } = await prepare(id, about);
  const { execution_id, step_run_id } = origin;
  const memo = { execution_id, step_run_id, bulk_id: request.bulk };
  try {
    await startExecution(client, input, executionId, { rerun: memo, labels });
    return done;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (await isRerunOf(client, executionId, id, request.bulk)) return done;
    throw new CodedError(
      'EXECUTION_ID_TAKEN',
      `the execution id ${executionId} is already taken by another start`,
    );
  }
}

function preparedHere(client: Client): Prepare {
  const converter = client.options.loadedDataConverter;
  return (id, request) => prepareRerun(() => executionPages(client, id), { ...request, converter });
}

async function isRerunOf(client: Client, id: string, original: string, bulk: string): Promise<boolean> {
  const description = await client.workflow
    .getHandle(workflowId(id))
    .describe()
    .catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return undefined;
    });
  const memo = description?.memo?.['noetl_rerun'];
  return isMapping(memo) && memo['execution_id'] === original && memo['bulk_id'] === bulk;
}
