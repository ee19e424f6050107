/** Who holds the keys of limits, and who waits: asked of the keepers themselves. */
import { type Client } from '@temporalio/client';
import { isMapping, type KeeperView, KEEPER_WORKFLOW_TYPE } from '../plan';
import { quoted, eachVisible } from './visibility';

/** A key that is in use. `holders` and `waiting` are null if no workflow worker answered. */
export interface LimitInUse extends Pick<KeeperView, 'of' | 'scope' | 'key'> {
  readonly limit: number | null;
  readonly holders: KeeperView['holders'] | null;
  readonly waiting: KeeperView['waiting'] | null;
}

export interface LimitFilter {
  readonly of?: string;
  readonly scope?: string;
  readonly key?: string;
}

/** More are not listed: filter them. */
const MAX_KEYS = 500;
const AT_ONCE = 20;
/** Milliseconds for a worker to answer. */
const ANSWER_MS = 3000;

/**
 * The keys in use, oldest last.
 *
 * @throws as `eachVisible`
 */
export async function limitsInUse(client: Client, filter: LimitFilter = {}): Promise<readonly LimitInUse[]> {
  const query = `WorkflowType = ${quoted(KEEPER_WORKFLOW_TYPE)} AND ExecutionStatus = 'Running'`;
  const keepers: { id: string; kept: Pick<KeeperView, 'of' | 'scope' | 'key'> }[] = [];
  for await (const { workflowId: id, memo } of eachVisible(client, query)) {
    const kept = memo?.['noetl_limit'];
    if (isMapping(kept) && isMeant(kept, filter)) keepers.push({ id, kept: kept as never });
    if (keepers.length >= MAX_KEYS) break;
  }
  const answers: LimitInUse[] = [];
  for (let first = 0; first < keepers.length; first += AT_ONCE)
    answers.push(
      ...(await Promise.all(keepers.slice(first, first + AT_ONCE).map((one) => queryLimit(client, one)))),
    );
  return answers;
}

function isMeant(kept: Readonly<Record<string, unknown>>, filter: LimitFilter): boolean {
  return (['of', 'scope', 'key'] as const).every(
    (name) => filter[name] === undefined || kept[name] === filter[name],
  );
}

async function queryLimit(
  client: Client,
  { id, kept }: { id: string; kept: Pick<KeeperView, 'of' | 'scope' | 'key'> },
): Promise<LimitInUse> {
  try {
    const deadline = Date.now() + ANSWER_MS;
    return await client.withDeadline(deadline, () =>
      client.workflow.getHandle(id).query<KeeperView>('limit'),
    );
  } catch {
    return { ...kept, limit: null, holders: null, waiting: null };
  }
}
