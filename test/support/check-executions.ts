/**
 * Every execution that a test made on a server is held to the contract of events: order, pairing, ownership, ids
 * (event-checks.ts), and no body above the size limit. Called by the fixtures when they stop.
 */
import { type Client, ServiceError } from '@temporalio/client';
import { hasCode } from '../../src/language/errors';
import { EngineError, type State } from '../../src/engine/machine';
import { recordedExecution, type RecordedExecution } from '../../src/history';
import { jsonSize } from '../../src/language/plan';
import { inlineBytesOf } from '../../src/storage/payloads';
import { type JsonObject } from '../../src/language/plan';
import { EXECUTIONS, historyPages, isTransient } from '../../src/temporal/client';
import { checkEvents } from './event-checks';

const AT_ONCE = 4;
/**
 * Ends that a run came to itself. What still runs may go on between two looks; what was terminated may have been told
 * something that it never took in, which a query's replay takes in and its history's events do not tell.
 */
export const SETTLED: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
/** A worker that is too busy to answer by then is no fault of the run. */
const QUERY_MS = 10_000;
const NOT_OURS = ['HISTORY', 'STORAGE_NOT_CONFIGURED', 'BLOB_UNAVAILABLE'];

/**
 * As `violationsOf`, thrown once `stop` has cleaned up. A server that a test took down tells nothing any more.
 *
 * @throws Error naming every violation
 */
export async function checkedStop(
  client: Client,
  options: { query: boolean },
  stop: () => Promise<unknown>,
): Promise<void> {
  let violations: string[] = [];
  try {
    await client.workflowService.getSystemInfo({});
    violations = await violationsOf(client, options);
  } catch (error) {
    if (!isTransient(error)) throw error;
  } finally {
    await stop();
  }
  if (violations.length > 0) throw new Error(`events of executions are wrong:\n${violations.join('\n')}`);
}

/**
 * What is wrong with the executions of a server, in words.
 *
 * @param query also asks each run for its own state, which must be the one derived from history: a worker has to run
 */
export async function violationsOf(client: Client, { query }: { query: boolean }): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: EXECUTIONS })) ids.add(workflowId);
  const found: string[] = [];
  const queue = [...ids];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        // Nothing may be under way any more when the server stops: each says itself what went wrong.
        const violations = await violationsIn(client, id, query).catch((error: unknown) => [said(error)]);
        found.push(...violations.map((violation) => `${id}: ${violation}`));
      }
    }),
  );
  return found;
}

async function violationsIn(client: Client, id: string, query: boolean): Promise<string[]> {
  const converter = client.options.loadedDataConverter;
  const { status } = await client.workflow.getHandle(id).describe();
  const recorded = await recordedExecution(historyPages(client, id), { converter }).catch(
    (error: unknown) => {
      // Not the run of a playbook, as some tests want it, or one whose store is not known here.
      if (error instanceof EngineError || hasCode(error, ...NOT_OURS)) return undefined;
      throw error;
    },
  );
  if (!recorded) return [];
  const violations = wrongIn(recorded);
  const { state } = recorded;
  if (query && SETTLED.includes(status.name)) {
    const own = await ownState(client, id);
    if (own && JSON.stringify(sorted(own)) !== JSON.stringify(sorted(state)))
      violations.push(
        `derived ${JSON.stringify(sorted(state))}, and the run itself says ${JSON.stringify(sorted(own))}`,
      );
  }
  return violations;
}

/** What is wrong with the events of an execution, in words. */
export function wrongIn({ events, state, plan, divergence }: RecordedExecution): string[] {
  const violations = checkEvents(events, state.status === 'completed');
  if (divergence) violations.push(divergence.message);
  if (new Set(events.map((event) => event.event_id)).size < events.length)
    violations.push('an event id twice');
  if (events.some((event, index) => event.seq !== index + 1))
    violations.push('seq does not count the events');
  const limit = inlineBytesOf(plan);
  for (const { event_id, event_type, payload } of events) {
    const { outcome, ...others } = payload;
    // What an event says of an error has limits of its own.
    const {
      error: _error,
      reason: _reason,
      meta: _meta,
      ...bodies
    } = { ...others, ...(outcome as JsonObject) };
    for (const [name, body] of Object.entries(bodies))
      if (jsonSize(body) > limit) violations.push(`${event_type} ${event_id} carries a body: ${name}`);
  }
  return violations;
}

/** What the run says of itself; undefined when no worker finds the time. */
async function ownState(client: Client, id: string, tries = 3): Promise<State | undefined> {
  try {
    return await client.withDeadline(Date.now() + QUERY_MS, () =>
      client.workflow.getHandle(id).query<State>('state'),
    );
  } catch (error) {
    // More than gRPC takes: such a state cannot be asked for.
    if (isTransient(error) || /too large/.test(String(error))) return undefined;
    // Servers say of a busy worker in several ways that it is not there.
    if (error instanceof ServiceError && tries > 1) return ownState(client, id, tries - 1);
    throw error;
  }
}

/** With what lies behind it: the client's own words are the same for all errors. */
function said(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? String(error) : `${String(error)}: ${String(cause)}`;
}

/** Keys in order: histories keep another than the engine's. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
