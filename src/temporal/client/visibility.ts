/** Lists executions with Temporal's visibility, which records starts and ends with a short delay. */
import { type Client, type CountWorkflowExecution, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers';
import { isGrpcServiceError } from '@temporalio/client';
import { cursorOf, pageTokenOf } from './cursor';
import { CodedError, EnvironmentError, messageOf } from '../../language/errors';
import { newestFirst, type ListPosition, listPositionOf, type Starts } from './newest-first';

/** Fields common to visibility and descriptions. */
export type VisibleExecution = Omit<WorkflowExecutionInfo, 'raw'>;

/** One page of a list. */
export interface VisiblePage {
  readonly executions: readonly VisibleExecution[];
  /** Opaque; undefined on the last page. */
  readonly next?: string;
}

/**
 * Last started first, across pages. One that continued as new is sorted by the start of its latest Temporal run.
 *
 * @param query in Temporal's list-filter language, without an order; build values with `quoted`
 * @param cursor `next` of the previous page
 * @throws CodedError `FILTER` for a cursor of another list, or a filter that the server rejects; EnvironmentError
 * `SEARCH_ATTRIBUTES_MISSING`
 */
export async function listVisible(
  client: Client,
  query: string,
  { pageSize, cursor }: { pageSize: number; cursor?: string },
): Promise<VisiblePage> {
  const token = cursor === undefined ? undefined : pageTokenOf(query, cursor);
  if (cursor !== undefined && token === undefined)
    throw new CodedError('FILTER', 'the cursor does not belong to this list');
  const after = token && (JSON.parse(Buffer.from(token).toString()) as ListPosition);
  const { runs, isMore } = await newestFirst(startsOf(client, query, pageSize + 1), pageSize, after);
  if (!isMore) return { executions: runs };
  const last = Buffer.from(JSON.stringify(listPositionOf(runs.at(-1)!)));
  return { executions: runs, next: cursorOf(query, last) };
}

/** Executions of a list, by start. @param atOnce minimum page size */
export function startsOf(client: Client, query: string, atOnce: number): Starts<VisibleExecution> {
  const time = (at: number): string => quotedQueryText(new Date(at).toISOString());
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
 * All executions of a list, in visibility's order: running ones by start, then closed ones by end, latest first.
 *
 * @param atOnce page size
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
    const page = await withQueryErrors(() => client.workflowService.listWorkflowExecutions(request));
    for (const raw of page.executions ?? [])
      yield await executionInfoFromRaw(raw, loadedDataConverter, raw, namespace);
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
}

/** Their number, also by group if the query ends in `GROUP BY`. @throws as `listVisible` */
export async function countVisible(client: Client, query: string): Promise<CountWorkflowExecution> {
  return await withQueryErrors(() => client.workflow.count(query));
}

/**
 * A string literal of a list filter.
 *
 * @throws CodedError `FILTER` for text that the server's database cannot hold, which it would report as its own failure
 */
export function quotedQueryText(text: string): string {
  if (/\0|\p{Surrogate}/u.test(text))
    throw new CodedError('FILTER', 'a filter contains a NUL character or half a character', {
      hint: ['Remove it: nothing that can be found contains one.'],
    });
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

const INVALID_ARGUMENT = 3;

async function withQueryErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const cause = isGrpcServiceError(error) ? error : (error as { cause?: unknown }).cause;
    if (!isGrpcServiceError(cause)) throw error;
    if (cause.code !== INVALID_ARGUMENT) throw error;
    const message = cause.details || messageOf(cause);
    if (isUnknownAttribute(message)) throw attributesMissing(error);
    throw new CodedError('FILTER', message, { cause: error });
  }
}

/** @param message the server's error for a query or a start */
export function isUnknownAttribute(message: string): boolean {
  return /Noetl\w+ (is not a valid|is not defined|not found)|search attribute.*Noetl/i.test(message);
}

export function attributesMissing(cause: unknown): EnvironmentError {
  return new EnvironmentError(
    'SEARCH_ATTRIBUTES_MISSING',
    'the namespace lacks the search attributes that executions are found by',
    ['Register them: `noetl-temporal doctor` shows how.'],
    { cause },
  );
}
