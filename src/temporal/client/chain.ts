/** The history of one execution, page by page, across all Temporal runs of its chain. */
import {
  type Client,
  isGrpcCancelledError,
  isGrpcServiceError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type temporal } from '@temporalio/proto';
import { CodedError } from '../../language/errors';
import { abortable } from './abortable';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The server has no execution of that id. @param id of its workflow */
export function executionNotFound(id: string, cause?: unknown): CodedError {
  return new CodedError('EXECUTION_NOT_FOUND', `there is no execution ${id}`, { details: { id }, cause });
}

export interface PagesOptions {
  /** Waits for new events of a running execution, until it ends. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** The last run of the chain, or any run after which there was no reset; by default the workflow's latest. */
  readonly runId?: string;
}

/**
 * Pages of the runs, first to last, including continue-as-new; runs abandoned by a reset are excluded.
 *
 * @param id the workflow id
 * @throws CodedError `EXECUTION_NOT_FOUND`; while following, `SUPERSEDED` if `temporal workflow reset` created
 * another run: read again from the start; the client's errors if the server does not respond
 */
export async function* historyPages(
  client: Client,
  id: string,
  options: PagesOptions = {},
): AsyncGenerator<readonly HistoryEvent[], void> {
  const { pagesIn, ...chain } = await opened(client, id, options);
  let { runs } = chain;
  for (let next = runs.shift(); next !== undefined; next = runs.shift()) {
    let last: HistoryEvent | undefined;
    for await (const page of pagesIn(next)) {
      if (page.length > 0) yield page;
      last = page.at(-1) ?? last;
    }
    const continued = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (continued) runs = [continued];
    else if (options.follow && last?.workflowExecutionTerminatedEventAttributes) {
      if ((await latestRun(client, id, options.signal)) !== next) throw new CodedError('SUPERSEDED', id);
    }
  }
}

/** The runs, and the pages of each; most executions are one run, whose first page is not asked for twice. */
async function opened(client: Client, id: string, options: PagesOptions) {
  const latest = options.runId ?? (await latestRun(client, id, options.signal));
  const rest = pagesOfRun(client, id, latest, options);
  const page = await rest.next();
  const started = page.done ? undefined : page.value[0]?.workflowExecutionStartedEventAttributes;
  async function* pages(): AsyncGenerator<readonly HistoryEvent[], void> {
    if (!page.done) yield page.value;
    yield* rest;
  }
  const isChain = Boolean(started?.continuedExecutionRunId);
  return {
    runs: isChain ? await runsOf(client, id, latest, options.signal) : [latest],
    pagesIn: (run: string) => (run === latest && !isChain ? pages() : pagesOfRun(client, id, run, options)),
  };
}

/** The runs of the chain, first to last: found from the last backwards, as far as the server has them. */
async function runsOf(
  client: Client,
  id: string,
  latest: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const runs = [latest];
  for (;;) {
    try {
      const { history } = await ask(client, id, runs[0]!, { maximumPageSize: 1 }, signal);
      const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
      if (!started?.continuedExecutionRunId) return runs;
      await ask(client, id, started.continuedExecutionRunId, { maximumPageSize: 1 }, signal);
      runs.unshift(started.continuedExecutionRunId);
    } catch (error) {
      if (runs.length > 0 && isNotFound(error)) return runs;
      throw error;
    }
  }
}

async function latestRun(client: Client, id: string, signal?: AbortSignal): Promise<string> {
  try {
    const describe = () => client.workflow.getHandle(id).describe();
    return (await abortable(client, signal, describe)).runId;
  } catch (error) {
    if (isNotFound(error)) throw executionNotFound(id, error);
    throw error;
  }
}

/** Pages of one Temporal run. */
export async function* pagesOfRun(
  client: Client,
  id: string,
  runId: string,
  { follow, signal }: Pick<PagesOptions, 'follow' | 'signal'> = {},
): AsyncGenerator<readonly HistoryEvent[], void> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = { nextPageToken, waitNewEvent: follow ?? false };
    const response = await ask(client, id, runId, request, signal);
    yield response.history?.events ?? [];
    nextPageToken = response.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
}

async function ask(
  client: Client,
  workflowId: string,
  runId: string,
  request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest,
  signal?: AbortSignal,
): Promise<temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse> {
  const { namespace } = client.options;
  return await abortable(client, signal, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      ...request,
    }),
  );
}

const NOT_FOUND = 5;
/** DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE: the server is unavailable or busy. */
const TRANSIENT = [4, 8, 10, 13, 14];

function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && error.code === NOT_FOUND);
}

/** Whether retrying may help. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return [error, cause].some((one) => isGrpcServiceError(one) && TRANSIENT.includes(one.code));
}

/** Whether our own signal aborted the call. */
export function isAborted(error: unknown): boolean {
  return isGrpcCancelledError(error) || (error instanceof Error && error.name === 'AbortError');
}
