/** One iteration of a step, or its only turn: what its templates see, and what it writes. */
import { type Flow } from './clock';
import { type Dict, dict, list, type Sink } from './document';
import { type Execution, type Failure } from './run';
import { holds, mapOf, type Names, type Outcome, ResultView, valueOf } from './values';

/** Names of the runtime at one place, which come before all others. */
export type Place = Dict;

export interface FrameOptions {
  readonly execution: Execution;
  /** The beginning of the ids of its calls. */
  readonly prefix: string;
  readonly step: string;
  readonly args: Dict;
  /** Loops of the step go on after a failure, also those inside of its pipeline. */
  readonly isBestEffort: boolean;
  readonly index?: number;
  readonly length?: number;
  /** The iterator and its item. */
  readonly item?: readonly [string, unknown];
  readonly parent?: Frame;
  /** Whether what it collects is seen by itself alone. */
  readonly isIsolated?: boolean;
}

/** The task in an id; the only tool of a step has no name there. */
export const partOf = (task: string, step: string): string => (task === `${step}_task` ? '' : `.${task}`);

export class Frame {
  readonly iter: Dict = {};
  /** Bare names that tasks set. */
  readonly variables: Dict = {};
  readonly tasks: Dict = {};
  readonly outcomes: Record<string, Outcome> = {};
  readonly visits: Record<string, number> = {};
  /** What it has collected, by the name that collects. */
  readonly collected = new Map<string, unknown[]>();
  /** What it wrote to `ctx`. */
  readonly patches: Dict = {};
  previous: unknown = null;
  /** The list (`into`) that is its result, once a page was collected. */
  resultInto: string | undefined;
  /** The names that rules of its step collect. */
  collects: readonly string[] = [];
  /** Lets the actions that follow read what it has collected. */
  published: () => void = () => undefined;
  /** Inputs of the step and arguments of its token. */
  args: Dict;

  constructor(readonly options: FrameOptions) {
    this.args = options.args;
    const { item, index, length, parent } = options;
    const { callerIter } = options.execution.around;
    if (!item || index === undefined || length === undefined) {
      if (parent) this.iter = parent.iter;
      else if (callerIter) this.iter['parent'] = callerIter;
      return;
    }
    Object.assign(this.iter, { [item[0]]: item[1], index, _first: index === 0, _last: index === length - 1 });
    if (parent?.options.item) this.iter['parent'] = parent.iter;
    else if (callerIter) this.iter['parent'] = callerIter;
  }

  /** What it has collected, and nothing where others alone have. */
  private own(): Dict {
    const { collected, options } = this;
    const around = options.parent?.own() ?? {};
    return {
      ...around,
      ...Object.fromEntries(this.collects.map((name) => [name, collected.get(name) ?? []])),
    };
  }

  /** The names that a template sees here, the first first. */
  names(place: Place = {}): Names {
    const { args } = this;
    const { execution, isIsolated } = this.options;
    const { ctx, results, workload } = execution;
    const own = isIsolated ? this.own() : {};
    const visible = isIsolated ? { ...ctx, ...own } : ctx;
    const base = {
      workload,
      ctx: visible,
      vars: visible,
      args,
      input: args,
      iter: this.iter,
      ...this.loop(),
      _prev: this.previous,
    };
    return [
      place,
      base,
      ...this.iterators(),
      args,
      this.allVariables(),
      this.allTasks(),
      own,
      ctx,
      this.iter,
      results,
      workload,
    ];
  }

  private loop(): Dict {
    const { index, length } = this.options;
    return index === undefined ? {} : { loop_index: index, loop: { index, length } };
  }

  private iterators(): Dict[] {
    const { item, parent } = this.options;
    return [...(item ? [{ [item[0]]: item[1] }] : []), ...(parent ? parent.iterators() : [])];
  }

  /** A loop inside of a pipeline sees the variables of the pipeline around it. */
  private allVariables(): Dict {
    return { ...this.options.parent?.allVariables(), ...this.variables };
  }

  private allTasks(): Dict {
    return { ...this.options.parent?.allTasks(), ...this.tasks };
  }

  /** Keeps the result of a task under its name. */
  keep(task: string, outcome: Outcome): void {
    this.outcomes[task] = outcome;
    this.tasks[task] = new ResultView(outcome);
  }

  /** Writes in the order of the mapping. @param bare where names without a prefix go */
  write(set: Dict, bare: 'ctx' | 'variables', place: Place = {}): void {
    for (const [key, raw] of Object.entries(set)) {
      const value = valueOf(raw, this.names(place)) ?? null;
      const [scope, name] = /^(ctx|vars|iter)\.(.+)$/.exec(key)?.slice(1) ?? [bare, key];
      if (key === 'ctx' || key === 'vars')
        for (const each of Object.entries(dict(value))) this.patch(...each);
      else if (scope === 'iter') this.iter[name!] = value;
      else if (scope === 'variables') this.variables[name!] = value;
      else this.patch(name!, value);
    }
  }

  private patch(name: string, value: unknown): void {
    this.options.execution.ctx[name] = value;
    this.patches[name] = value;
  }

  /** `collect`, in the form of `case` (`from`, `mode`) or of `retry` (`path`, `strategy`). Gives the list. */
  collect(raw: Dict, page: ResultView, place: Place): unknown[] {
    const { from, path, mode, strategy } = raw;
    const value =
      from === undefined
        ? String(path ?? '') === ''
          ? page.plain()
          : pathOf(page, String(path))
        : valueOf(String(from).includes('{{') ? from : `{{ ${String(from)} }}`, this.names(place));
    const into = String(raw['into']);
    const iter = into.startsWith('iter.') ? into.slice('iter.'.length) : undefined;
    const name = iter ?? into.replace(/^(ctx|vars)\./, '');
    const before = iter === undefined ? (this.collected.get(name) ?? []) : list(this.iter[iter]);
    const isExtended =
      mode === 'extend' ||
      (from === undefined && (strategy ?? 'append') === 'append' && Array.isArray(value));
    const after = isExtended ? [...before, ...list(value)] : [...before, value ?? null];
    if (iter !== undefined) this.iter[iter] = after;
    else this.collected.set(name, after);
    this.published();
    return after;
  }

  /** Stores, one after the other. Gives the failure of the first that fails, and does not begin those behind it. */
  *store(sinks: readonly Sink[], place: Place): Flow<Failure | undefined> {
    const { execution, prefix, step } = this.options;
    for (const { when, task } of sinks) {
      // One that its `when` leaves out counts as a visit, too.
      const visit = (this.visits[task.name] = (this.visits[task.name] ?? 0) + 1);
      if (!holds(when, this.names(place))) continue;
      yield* execution.outside.unpaused();
      yield* execution.limits.slot(task.rate, this.names(place), step);
      const [input, config] = [task.input, task.fields].map((raw) => mapOf(raw, this.names(place)));
      const id = `${prefix}${partOf(task.name, step)}~${visit}@1`;
      const call = { id, step, task: task.name, kind: task.kind, input: input!, config: config! };
      const { error } = yield* execution.call(call);
      if (error) return { ...error, code: String(error['code']), step, task: task.name };
    }
    return undefined;
  }

  inputOf(input: Dict, given: Dict): Dict {
    if (Object.keys(given).length > 0 && Object.keys(input).length > 0)
      this.options.execution.hits.add('workbookLayers');
    const outer = mapOf(given, this.names());
    const names = this.names();
    const inner =
      Object.keys(given).length > 0
        ? [
            names[0]!,
            { ...names[1], args: { ...this.args, ...outer }, input: { ...this.args, ...outer } },
            outer,
            ...names.slice(2),
          ]
        : names;
    return { ...mapOf(input, inner), ...outer };
  }
}

function pathOf(page: ResultView, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (value instanceof ResultView) return value.get(key);
    return dict(value)[key];
  }, page);
}
