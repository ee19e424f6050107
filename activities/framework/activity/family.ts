/** How many executions one execution, or one schedule, may start, directly and indirectly, and how fast. */
import { EXECUTIONS } from '../../../src/language/plan/names';
import { SCHEDULED_WORKFLOW_TYPE } from '../../../src/language/plan/scheduled';
import { PlaybookRefused } from './playbook-refused';

/** Open at once; in all, so many times as many. */
export const DEFAULT_FAMILY_LIMIT = 1000;
const IN_ALL = 10;

/** Milliseconds for which a count holds: what was admitted since is added. */
const COUNTED_MS = 1_000;
/** With more open ones than that, or than this share of the limit, further ones take turns. */
const [UNPACED, UNPACED_SHARE] = [50, 0.1];
/** Milliseconds between two of them, times what is above of the limit. */
const PACE_MS = 5_000;
/** Families that are remembered, at least. */
const REMEMBERED = 1_000;

/** What began it all. */
export interface FamilyRoot {
  /** Tells it from others, and is shown. */
  readonly name: string;
  /** Finds it in Temporal's list. */
  readonly query: string;
}

/** @param query of a `FamilyRoot` */
export type CountFamily = (query: string) => Promise<{
  readonly count: number;
  /** By status. */
  readonly groups: readonly { readonly count: number; readonly groupValues: readonly unknown[] }[];
}>;

interface Counted {
  open: number;
  inAll: number;
}

interface Family {
  counted: Promise<Counted | undefined>;
  at: number;
  /** When the last one that has to wait begins. */
  last: number;
}

/**
 * Admits sub-playbooks of families. Two calls in a playbook that calls itself double it with every level, so the more of
 * a family is open, the slower it grows: it stays small enough to be cancelled, and leaves the server to others. Counts
 * what Temporal lists, which is a moment behind.
 */
export class Families {
  private readonly families = new Map<string, Family>();

  /** @param limit sub-playbooks of one family that are open at once */
  constructor(
    private readonly limit: number,
    private readonly count: CountFamily,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @returns milliseconds until the sub-playbook may begin
   * @throws PlaybookRefused `PLAYBOOK_FAMILY` for one of a family that is too large
   */
  async admit(path: string, { name, query }: FamilyRoot): Promise<number> {
    const family = this.familyOf(name, query);
    const counted = await family.counted;
    // A server that cannot count does not stop playbooks.
    if (!counted) return 0;
    const { limit } = this;
    const inAll = limit * IN_ALL;
    if (counted.open > limit || counted.inAll > inAll) {
      const what = counted.open > limit ? `${limit} open executions at once` : `${inAll} executions in all`;
      throw new PlaybookRefused(
        'PLAYBOOK_FAMILY',
        `playbook ${path} was not started: its family, which began with ${name}, has more than ${what}. Does a playbook call ` +
          'itself without end, or is a schedule faster than its executions? An operator can raise the limit with ' +
          'NOETL_FAMILY_LIMIT on the workers of playbooks',
      );
    }
    counted.inAll++;
    const above = ++counted.open - Math.max(UNPACED, Math.ceil(limit * UNPACED_SHARE));
    if (above <= 0) return 0;
    family.last = Math.max(family.last, this.now()) + (above / limit) * PACE_MS;
    return family.last - this.now();
  }

  private familyOf(name: string, query: string): Family {
    const at = this.now();
    let family = this.families.get(name);
    if (family && at - family.at < COUNTED_MS) return family;
    family = { counted: this.counted(query), at, last: family?.last ?? 0 };
    this.families.delete(name);
    this.families.set(name, family);
    if (this.families.size > 2 * REMEMBERED)
      for (const old of [...this.families.keys()].slice(0, REMEMBERED)) this.families.delete(old);
    return family;
  }

  private async counted(query: string): Promise<Counted | undefined> {
    try {
      const { count, groups } = await this.count(query);
      const open = groups.find(({ groupValues }) => String(groupValues) === 'Running')?.count ?? 0;
      return { open, inAll: count };
    } catch {
      return undefined;
    }
  }
}

/** All that an execution calls, directly and indirectly. @param id its workflow id */
export function executionFamily(id: string): FamilyRoot {
  return { name: id, query: `${EXECUTIONS} AND RootWorkflowId = ${quoted(id)}` };
}

/** What a schedule has started, of which only what is open counts. @param id Temporal's */
export function scheduleFamily(id: string): FamilyRoot {
  return { name: `schedule ${id}`, query: `${OPEN_FIRINGS} AND TemporalScheduledById = ${quoted(id)}` };
}

const OPEN_FIRINGS = `WorkflowType = '${SCHEDULED_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
