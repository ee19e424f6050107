/** How many executions one execution may start, directly and indirectly. */
import { EXECUTIONS } from '../../../src/plan/names';
import { PlaybookRefused } from './playbook-refused';

/** Open at once; in all, so many times as many. */
export const DEFAULT_FAMILY_LIMIT = 1000;
const IN_ALL = 10;

/** `family`: the workflow id of the execution that all of it began with. */
export type CountFamily = (family: string) => Promise<{
  readonly count: number;
  /** By status. */
  readonly groups: readonly { readonly count: number; readonly groupValues: readonly unknown[] }[];
}>;

/**
 * Refuses a sub-playbook of a family that is too large: two calls in a playbook that calls itself double it with every
 * level. Counts what Temporal lists, which is a moment behind.
 *
 * @throws PlaybookRefused `PLAYBOOK_FAMILY`
 */
export async function refuseLargeFamily(
  path: string,
  family: string,
  limit: number,
  count: CountFamily,
): Promise<void> {
  // A server that cannot count does not stop playbooks.
  const counted = await count(family).catch(() => undefined);
  if (!counted) return;
  const open = counted.groups.find(({ groupValues }) => String(groupValues) === 'Running')?.count ?? 0;
  const inAll = limit * IN_ALL;
  if (open <= limit && counted.count <= inAll) return;
  const what = open > limit ? `${limit} open sub-playbooks at once` : `${inAll} sub-playbooks in all`;
  const message =
    `playbook ${path} was not started: its family, which began with ${family}, has more than ${what}. Does a playbook call ` +
    'itself without end? An operator can raise the limit with NOETL_FAMILY_LIMIT on the workers of playbooks';
  throw new PlaybookRefused('PLAYBOOK_FAMILY', message);
}

/** `GROUP BY` makes one request of the two counts. */
export function familyQuery(family: string): string {
  const quoted = `'${family.replaceAll("'", "''")}'`;
  return `${EXECUTIONS} AND RootWorkflowId = ${quoted} GROUP BY ExecutionStatus`;
}
