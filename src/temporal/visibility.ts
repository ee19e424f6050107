/** Which executions there are, as Temporal's visibility knows them. It learns of starts and ends a moment later. */
import { type Client, type CountWorkflowExecution, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers';
import { isGrpcServiceError } from '@temporalio/client';
import { cursorOf, tokenOf } from './cursor';
import { EnvironmentError, messageOf } from './errors';

/** What visibility and a description both tell of an execution. */
export type VisibleExecution = Omit<WorkflowExecutionInfo, 'raw'>;

/** One page of a list, newest first. */
export interface VisiblePage {
  readonly executions: readonly VisibleExecution[];
  /** Opaque; undefined on the last page. */
  readonly next?: string;
}

/** What was asked cannot be asked: a cursor of another list, a filter that the server does not know. */
export class VisibilityQueryError extends Error {
  override readonly name = 'VisibilityQueryError';
}

/**
 * @param query in Temporal's list-filter language; build values with `quoted`
 * @param cursor `next` of the page before
 * @throws VisibilityQueryError; EnvironmentError `SEARCH_ATTRIBUTES_MISSING`
 */
export async function listVisible(
  client: Client,
  query: string,
  { pageSize, cursor }: { pageSize: number; cursor?: string },
): Promise<VisiblePage> {
  const { namespace, loadedDataConverter } = client.options;
  const nextPageToken = cursor === undefined ? undefined : tokenOf(query, cursor);
  if (cursor !== undefined && nextPageToken === undefined)
    throw new VisibilityQueryError('the cursor is not one of this list');
  const page = await asked(() =>
    client.workflowService.listWorkflowExecutions({ namespace, query, pageSize, nextPageToken }),
  );
  const executions = await Promise.all(
    (page.executions ?? []).map((raw) => executionInfoFromRaw(raw, loadedDataConverter, raw, namespace)),
  );
  const token = page.nextPageToken;
  return { executions, ...(token?.length ? { next: cursorOf(query, token) } : {}) };
}

/** Every execution of a list. As `listVisible`. */
export async function* eachVisible(client: Client, query: string): AsyncGenerator<VisibleExecution, void> {
  let cursor: string | undefined;
  do {
    const page: VisiblePage = await listVisible(client, query, { pageSize: 200, cursor });
    yield* page.executions;
    cursor = page.next;
  } while (cursor !== undefined);
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
    throw new VisibilityQueryError(said, { cause: error });
  }
}

/** @param said by the server of a query, or of a start */
export function isUnknownAttribute(said: string): boolean {
  return /Noetl\w+ (is not a valid|is not defined|not found)|search attribute.*Noetl/i.test(said);
}

export function attributesMissing(cause: unknown): EnvironmentError {
  return new EnvironmentError(
    'SEARCH_ATTRIBUTES_MISSING',
    'the namespace lacks the search attributes by which executions are found',
    ['Register them: `noetl-temporal doctor` says how.'],
    { cause },
  );
}
