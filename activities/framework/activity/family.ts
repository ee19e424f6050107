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
/** Milliseconds that a request may wait for a worker before families take turns for it. */
const LATE_MS = 500;
/** Milliseconds between two of a family, times those that requests are later than that. */
const PACE_BUSY = 0.5;
/** Milliseconds for which one waits because of that, at most: it may be over. */
const BUSY_WAIT_MS = 60_000;
/** What one request says of how late all are. */
const WEIGHT = 0.1;
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
  private readonly lateness = new Lateness();

  /** @param limit sub-playbooks of one family that are open at once */
  constructor(
    private readonly limit: number,
    private readonly count: CountFamily,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param late milliseconds that the request waited for a worker
   * @returns milliseconds until the sub-playbook may begin
   * @throws PlaybookRefused `PLAYBOOK_FAMILY` for one of a family that is too large
   */
  async admit(path: string, { name, query }: FamilyRoot, late = 0): Promise<number> {
    const busy = this.lateness.after(late);
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
    const ahead = Math.max(0, family.last - this.now());
    const turn = counted.inAll > UNPACED ? busy * PACE_BUSY * Math.max(0, 1 - ahead / BUSY_WAIT_MS) : 0;
    const gap = Math.max((above / limit) * PACE_MS, turn);
    if (gap <= 0) return 0;
    family.last = this.now() + ahead + gap;
    return ahead + gap;
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

/** How much later than usual requests get a worker. Clocks may differ: what was seen least counts as none. */
class Lateness {
  private least = Infinity;
  private mean = 0;

  /** @returns milliseconds above what is no delay */
  after(late: number): number {
    this.least = Math.min(this.least, late);
    this.mean += WEIGHT * (late - this.mean);
    return Math.max(0, this.mean - this.least - LATE_MS);
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
