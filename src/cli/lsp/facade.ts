/** What a facade knows: the last runs of playbooks and their results, the catalog, names of credentials. Without one, nothing is. */
import { declarationOf, isMapping } from '../../language/plan';
import { type ExecutionDocument } from '../../server/facade/documents';
import { type KnownNames, type KnownResults, type KnownRuns } from '../../service';
import { type Port } from '../runtime/port/port';
import { ask } from '../runtime/port/ask';

/** What is known of the executions of one playbook. */
export interface Former extends KnownRuns {
  /** The id of the last. */
  readonly last: string;
  readonly results: KnownResults;
}

/** Executions that are counted. */
const MOST = 50;
/** What a facade said holds so long, in milliseconds. */
const LASTS_MS = 30_000;

export class FacadeKnowledge {
  names: Required<KnownNames> = { playbooks: new Map(), credentials: [] };
  private readonly former = new Map<string, Former | undefined>();
  private readonly lookedAt = new Map<string, number>();

  constructor(
    private readonly port: Port,
    private readonly changed: () => void,
  ) {}

  /** What is known of the executions of a path; it is looked up again now and then. */
  of(path: string): Former | undefined {
    this.look('names', () => this.lookUpNames());
    this.look(path, () => this.lookUp(path));
    return this.former.get(path);
  }

  private look(what: string, act: () => Promise<void>): void {
    if (performance.now() - (this.lookedAt.get(what) ?? -Infinity) < LASTS_MS) return;
    this.lookedAt.set(what, performance.now());
    // A facade that is away, or does not let us read, is none.
    void act().then(this.changed, () => undefined);
  }

  private async lookUpNames(): Promise<void> {
    const body = { latest: true, page_size: 1000 };
    const [catalog, stored] = await Promise.allSettled([
      ask<{ entries: { path: string }[] }>(this.port, '/api/catalog/list', { method: 'POST', body }),
      ask<{ items: { name: string }[] }>(this.port, '/api/credentials'),
    ]);
    const entries = catalog.status === 'fulfilled' ? catalog.value.entries : [];
    const items = stored.status === 'fulfilled' ? stored.value.items : [];
    this.names = {
      playbooks: new Map(entries.map(({ path }) => [path, []])),
      credentials: items.map(({ name }) => name),
    };
  }

  private async lookUp(path: string): Promise<void> {
    const query = new URLSearchParams({ path, page_size: String(MOST) });
    const runs = await ask<readonly ExecutionDocument[]>(this.port, `/api/executions?${query.toString()}`);
    const [last] = runs;
    if (last === undefined) return void this.former.set(path, undefined);
    const id = encodeURIComponent(last.execution_id);
    const state = await ask<StateOfRun>(this.port, `/api/executions/${id}/state`);
    this.former.set(path, {
      ...{ last: last.execution_id, lastRuns: runsInWords(runs, last) },
      taken: new Map(Object.entries(state.runCounts ?? {})),
      results: resultsIn(state),
    });
  }
}

function runsInWords(
  runs: readonly ExecutionDocument[],
  { status, start_time: start }: ExecutionDocument,
): string {
  const failed = runs.filter((each) => each.status === 'FAILED').length;
  const count =
    runs.length === MOST ? `${MOST} runs or more` : runs.length === 1 ? '1 run' : `${runs.length} runs`;
  return `${count}, ${failed} failed; the last ${status.toLowerCase()}, ${start.slice(0, 16).replace('T', ' ')} UTC`;
}

interface TaskOfRun {
  readonly kind: string;
  readonly outcome: { readonly result: unknown };
}

/** What is read of the state of an execution. */
interface StateOfRun {
  readonly results?: Readonly<
    Record<
      string,
      {
        readonly last?: TaskOfRun | null;
        readonly tasks?: Readonly<Record<string, TaskOfRun>> | null;
        /** Of a loop. */
        readonly results?: readonly unknown[];
      }
    >
  >;
  readonly runCounts?: Readonly<Record<string, number>>;
}

/** The data of tasks: what templates read by the names of their steps. */
function resultsIn({ results = {} }: StateOfRun): KnownResults {
  return {
    resultOf(step, name) {
      const { last, tasks, results: items } = (Object.hasOwn(results, step) && results[step]) || {};
      const task = (name === undefined ? undefined : tasks?.[name]) ?? last;
      if (!task) return items?.find((item) => item !== null);
      const { result } = task.outcome;
      const field = declarationOf(task.kind)?.payload?.field;
      return (field !== undefined && isMapping(result) ? result[field] : result) ?? undefined;
    },
  };
}
