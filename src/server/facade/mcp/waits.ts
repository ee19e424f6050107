/** Callers that wait for the end of an execution. Each holds a request and a call to Temporal, so they are counted. */
import { type ServerResponse } from 'node:http';
import { type Client } from '@temporalio/client';
import {
  decodeArrayFromPayloads,
  decodeReferencePayload,
  isReferencePayload,
} from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { numberSetting } from '../../../language/errors/number-settings';
import { type Json } from '../../../language/plan';
import { fetchStored } from '../../../history';
import { abortable, awaitedEnd, workflowId } from '../../../temporal/client';
import { causeOfEnd } from '../../bulk';
import { AtOnce } from '../http/at-once';
import { FacadeError } from '../http/errors';

/** Of one caller. A playbook may call another for every item of a loop. */
const MOST = 100;
const SECONDS = 90;

/** Larger results are read from the execution: what is decoded here, nobody else of this process is served meanwhile. */
const MOST_BYTES = 1024 * 1024;

/** `bytes`: of a result that is too large to be an answer. */
export type ExecutionEnd =
  | { readonly result: Json }
  | { readonly failure: string }
  | { readonly bytes: number };

export const waits = new AtOnce(
  MOST,
  (waiting) => new FacadeError(429, 'TOO_MANY_WAITING', `${waiting} of your requests wait for executions`),
);

/**
 * @param response of the request: nobody waits for a client that has left
 * @param ms default: `NOETL_MCP_CALL_SECONDS`
 * @returns undefined if it has not ended in time
 */
export async function executionEnd(
  client: Client,
  id: string,
  response: ServerResponse,
  ms = (numberSetting('NOETL_MCP_CALL_SECONDS') ?? SECONDS) * 1000,
): Promise<ExecutionEnd | undefined> {
  const deadline = Date.now() + ms;
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  // It may have left while the execution was started.
  if (response.closed) leave();
  const ended = () => client.withDeadline(deadline, () => awaitedEnd(client, workflowId(id)));
  try {
    return await endOf(client, await abortable(client, left.signal, ended));
  } catch (error) {
    if (left.signal.aborted || Date.now() >= deadline) return undefined;
    throw error;
  } finally {
    response.off('close', leave);
  }
}

async function endOf(client: Client, event: temporal.api.history.v1.IHistoryEvent): Promise<ExecutionEnd> {
  const { loadedDataConverter: converter } = client.options;
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (!completed) return { failure: (await causeOfEnd(client, event)).message };
  const payloads = completed.result?.payloads ?? [];
  const bytes = payloads.reduce((sum, one) => {
    const size = isReferencePayload(one) ? decodeReferencePayload(one).sizeBytes : (one.data?.length ?? 0);
    return sum + size;
  }, 0);
  if (bytes > MOST_BYTES) return { bytes };
  const [ended] = await decodeArrayFromPayloads(converter, await fetchStored(payloads, converter));
  const { result = null } = (ended ?? {}) as { result?: Json };
  return { result };
}
