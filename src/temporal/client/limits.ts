/** Who holds the keys of limits, and who waits: asked of the keepers themselves. */
import { type Client } from '@temporalio/client';
import { isMapping, type KeeperView, KEEPER_WORKFLOW_TYPE } from '../../language/plan';
import { inParallel } from '../../language/plan/in-parallel';
import { quotedQueryText, eachVisible } from './visibility';

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

/** Keys that are looked at for those that are meant. */
const LOOKS = 10_000;
const AT_ONCE = 20;
/** Milliseconds for workers to answer for all keys together. */
const ANSWER_MS = 3000;

/**
 * The keys in use, oldest last.
 *
 * @param offset how many of them are left out before
 * @param limit each asks a workflow worker
 * @throws as `eachVisible`
 */
export async function limitsInUse(
  client: Client,
  filter: LimitFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly LimitInUse[]> {
  const query = `WorkflowType = ${quotedQueryText(KEEPER_WORKFLOW_TYPE)} AND ExecutionStatus = 'Running'`;
  const keepers: { id: string; kept: Pick<KeeperView, 'of' | 'scope' | 'key'> }[] = [];
  let [looks, skipped] = [0, 0];
  for await (const { workflowId: id, memo } of eachVisible(client, query)) {
    if (keepers.length >= limit || ++looks > LOOKS) break;
    const kept = memo?.['noetl_limit'];
    if (!isMapping(kept) || !isMeant(kept, filter)) continue;
    if (skipped++ >= offset) keepers.push({ id, kept: kept as never });
  }
  const deadline = Date.now() + ANSWER_MS;
  return await inParallel(AT_ONCE, keepers, (one) => queryLimit(client, one, deadline));
}

function isMeant(kept: Readonly<Record<string, unknown>>, filter: LimitFilter): boolean {
  return (['of', 'scope', 'key'] as const).every(
    (name) => filter[name] === undefined || kept[name] === filter[name],
  );
}

async function queryLimit(
  client: Client,
  { id, kept }: { id: string; kept: Pick<KeeperView, 'of' | 'scope' | 'key'> },
  deadline: number,
): Promise<LimitInUse> {
  try {
    return await client.withDeadline(deadline, () =>
      client.workflow.getHandle(id).query<KeeperView>('limit'),
    );
  } catch {
    return { ...kept, limit: null, holders: null, waiting: null };
  }
}
