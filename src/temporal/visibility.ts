/** Which executions there are, as Temporal's visibility knows them. It learns of starts and ends a moment later. */
import { type Client, type CountWorkflowExecution, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers';
import { isGrpcServiceError } from '@temporalio/client';
import { cursorOf, tokenOf } from './cursor';
import { CodedError, EnvironmentError, messageOf } from '../errors';
import { newestFirst, type Position, positionOf, type Starts } from './newest-first';

/** What visibility and a description both tell of an execution. */
export type VisibleExecution = Omit<WorkflowExecutionInfo, 'raw'>;

/** One page of a list. */
export interface VisiblePage {
  readonly executions: readonly VisibleExecution[];
  /** Opaque; undefined on the last page. */
  readonly next?: string;
}

/**
 * The last to start first, on all pages. One that continued as new stands where its latest Temporal run began.
 *
 * @param query in Temporal's list-filter language, without the order of the list; build values with `quoted`
 * @param cursor `next` of the page before
 * @throws CodedError `FILTER` for a cursor of another list, or a filter that the server does not know; EnvironmentError `SEARCH_ATTRIBUTES_MISSING`
 */
export async function listVisible(
  client: Client,
  query: string,
  { pageSize, cursor }: { pageSize: number; cursor?: string },
): Promise<VisiblePage> {
  const token = cursor === undefined ? undefined : tokenOf(query, cursor);
  if (cursor !== undefined && token === undefined)
    throw new CodedError('FILTER', 'the cursor does not belong to this list');
  const after = token && (JSON.parse(Buffer.from(token).toString()) as Position);
  const { runs, isMore } = await newestFirst(startsOf(client, query, pageSize + 1), pageSize, after);
  if (!isMore) return { executions: runs };
  const last = Buffer.from(JSON.stringify(positionOf(runs.at(-1)!)));
  return { executions: runs, next: cursorOf(query, last) };
}

/** What is on a list, by its start. @param atOnce executions that one request fetches, at least */
export function startsOf(client: Client, query: string, atOnce: number): Starts<VisibleExecution> {
  const time = (at: number): string => quoted(new Date(at).toISOString());
  const among = (is: string, before?: number, from?: number): string =>
    [
      `(${query})`,
      `ExecutionStatus ${is} 'Running'`,
      ...(before === undefined ? [] : [`StartTime < ${time(before)}`]),
      ...(from === undefined ? [] : [`StartTime >= ${time(from)}`]),
    ].join(' AND ');
  return {
    running: (before) => eachVisible(client, among('=', before), atOnce),
    over: (before, from) => eachVisible(client, among('!=', before, from), Math.max(atOnce, 100)),
    countOver: async (before, from) => (await countVisible(client, among('!=', before, from))).count,
  };
}

/**
 * Every execution of a list, in the order of visibility: those that run by their start, then the others by their end, the
 * last first.
 *
 * @param atOnce executions that one request fetches
 * @throws as `listVisible`
 */
export async function* eachVisible(
  client: Client,
  query: string,
  atOnce = 200,
): AsyncGenerator<VisibleExecution, void> {
  const { namespace, loadedDataConverter } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = { namespace, query, pageSize: atOnce, nextPageToken };
    const page = await asked(() => client.workflowService.listWorkflowExecutions(request));
    for (const raw of page.executions ?? [])
      yield await executionInfoFromRaw(raw, loadedDataConverter, raw, namespace);
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
}

/** How many there are, also by group where the query ends in `GROUP BY`. @throws as `listVisible` */
export async function countVisible(client: Client, query: string): Promise<CountWorkflowExecution> {
  return await asked(() => client.workflow.count(query));
}

/** A text of a list filter. */
export function quoted(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

const INVALID_ARGUMENT = 3;

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown }).cause;
    if (!isGrpcServiceError(cause)) throw error;
    if (cause.code !== INVALID_ARGUMENT) throw error;
    const said = cause.details || messageOf(cause);
    if (isUnknownAttribute(said)) throw attributesMissing(error);
    throw new CodedError('FILTER', said, { cause: error });
  }
}

/** @param said by the server of a query, or of a start */
export function isUnknownAttribute(said: string): boolean {
  return /Noetl\w+ (is not a valid|is not defined|not found)|search attribute.*Noetl/i.test(said);
}

export function attributesMissing(cause: unknown): EnvironmentError {
  return new EnvironmentError(
    'SEARCH_ATTRIBUTES_MISSING',
    'the namespace lacks the search attributes that executions are found by',
    ['Register them: `noetl-temporal doctor` shows how.'],
    { cause },
  );
}
