/** What a playbook declares, read from its outline: steps, tasks, variables, and where each is named. */
import {
  type OutlineEntry,
  type OutlineNode,
  ownText,
  scalarText,
  type TextRange,
  valueAt,
} from '../text/node';

/** A name, where it is written, and the value it gets there; of an iterator, what it goes over. */
export interface NamePlace extends TextRange {
  readonly name: string;
  readonly value?: OutlineNode | undefined;
}

/** It moves with its text: what was read of a step stays true wherever the step stands. */
class PlacedName implements NamePlace {
  /** @param skip characters before the name: a quote, a scope */
  constructor(
    readonly name: string,
    private readonly at: TextRange,
    readonly value?: OutlineNode,
    private readonly skip = Math.floor((at.end - at.start - name.length) / 2),
  ) {}

  get start(): number {
    return this.at.start + this.skip;
  }

  get end(): number {
    return this.start + this.name.length;
  }

  /** @param from where in it the part begins */
  part(name: string, from: number): PlacedName {
    return new PlacedName(name, this.at, this.value, this.skip + from);
  }
}

/** The key of an entry as a name. */
export function nameOf(entry: OutlineEntry): PlacedName {
  return new PlacedName(entry.key, entry, entry.value);
}

/** A scalar as a name; none if it is no text. */
export function scalarNames(text: string, node: OutlineNode | undefined, value?: OutlineNode): PlacedName[] {
  const name = scalarText(text, node);
  return node === undefined || name === undefined || name === ''
    ? []
    : [new PlacedName(ownText(name), node, value)];
}

export interface DeclaredTask {
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly node: OutlineNode;
  /** Where it is named; absent if it has the name of its step. */
  readonly at?: NamePlace | undefined;
}

export class DeclaredStep extends PlacedName {
  readonly tasks: DeclaredTask[] = [];
  /** Iterators of the step's loop and of loops in it. */
  readonly iterators: NamePlace[] = [];
  readonly inputs: NamePlace[] = [];
  readonly locals: NamePlace[] = [];
  readonly iter: NamePlace[] = [];
  /** Writes of variables of the execution. */
  readonly ctx: NamePlace[] = [];
  /** The steps that follow. */
  readonly targets: NamePlace[] = [];

  constructor(
    name: string,
    at: OutlineNode,
    readonly node: OutlineNode,
  ) {
    super(name, at);
  }
}

export interface PlaybookFacts {
  readonly text: string;
  readonly root: OutlineNode;
  readonly steps: readonly DeclaredStep[];
  readonly workload?: OutlineNode | undefined;
  readonly ctx: readonly NamePlace[];
  readonly workbook: readonly DeclaredTask[];
  readonly keychain: readonly NamePlace[];
}

export function playbookFacts(text: string, root: OutlineNode): PlaybookFacts {
  const steps = (valueAt(root, 'workflow')?.items ?? []).flatMap((node) => stepIn(text, node) ?? []);
  const keychain = valueAt(root, 'keychain')?.items ?? [];
  return {
    ...{ text, root, steps, workload: valueAt(root, 'workload') },
    ctx: steps.flatMap(({ ctx }) => ctx),
    workbook: workbookTasks(text, valueAt(root, 'workbook')),
    keychain: keychain.flatMap((item) => scalarNames(text, valueAt(item, 'name'))),
  };
}

/** What was read of a step before, wherever it stood. */
const STEPS = new WeakMap<OutlineNode, DeclaredStep>();

function stepIn(text: string, node: OutlineNode): DeclaredStep | undefined {
  const name = valueAt(node, 'step');
  const [named] = scalarNames(text, name);
  if (named === undefined) return undefined;
  const step = STEPS.get(node) ?? new StepReader(text, new DeclaredStep(named.name, name!, node)).read();
  STEPS.set(node, step);
  return step;
}

class StepReader {
  constructor(
    private readonly text: string,
    private readonly into: DeclaredStep,
  ) {}

  read(): DeclaredStep {
    const { node } = this.into;
    this.visit(node, []);
    const tool = valueAt(node, 'tool');
    if (tool) this.tasksIn(tool, this.into.name);
    return this.into;
  }

  private named(node: OutlineNode | undefined, value?: OutlineNode): PlacedName[] {
    return scalarNames(this.text, node, value);
  }

  private tasksIn(tool: OutlineNode, fallback?: string): void {
    for (const item of tool.kind === 'list' ? tool.items : [tool]) {
      const [label] = item.entries.length === 1 ? item.entries : [];
      const isLabel = label !== undefined && valueAt(label.value, 'kind') !== undefined;
      const node = isLabel ? label.value : item;
      const kind = scalarText(this.text, valueAt(node, 'kind'));
      // Alone, a call is named by what it calls.
      const isCall = tool.kind !== 'list' && (kind === 'workbook' || kind === 'playbook');
      const [at] = isLabel ? [nameOf(label)] : isCall ? [] : this.named(valueAt(item, 'name'));
      if (kind !== undefined || at) this.into.tasks.push({ node, kind, at, name: at?.name ?? fallback });
      for (const body of bodiesOf(node, kind)) this.tasksIn(body);
    }
  }

  /** Collects writes, iterators, inputs and targets below a node. */
  private visit(node: OutlineNode, keys: readonly string[]): void {
    for (const item of node.items) this.visit(item, keys);
    for (const entry of node.entries) {
      this.entry(entry, node, keys);
      this.visit(entry.value, [...keys, entry.key]);
    }
  }

  private entry({ key, value }: OutlineEntry, node: OutlineNode, keys: readonly string[]): void {
    const { into } = this;
    const parent = keys.at(-1) ?? '';
    if (WRITE_KEYS.has(key)) this.writes(key, value, keys);
    else if (key === 'into') for (const place of this.named(value)) this.write(place, 'set_ctx', true);
    else if (key === 'iterator') into.iterators.push(...this.named(value, valueAt(node, 'in')));
    else if (INPUT_KEYS.has(key) && keys.length <= 1 && parent !== 'next')
      into.inputs.push(...value.entries.map(nameOf));
    else if (key === 'next')
      into.targets.push(...[value, ...value.items].flatMap((target) => this.named(target)));
    else if (key === 'step' && (keys.includes('next') || parent === 'then' || parent === 'else'))
      into.targets.push(...this.named(value));
  }

  private writes(key: string, value: OutlineNode, keys: readonly string[]): void {
    const isAction = keys.includes('case') || keys.includes('retry');
    for (const item of value.items)
      for (const place of this.named(valueAt(item, 'name'), valueAt(item, 'value')))
        this.write(place, key, isAction);
    for (const entry of value.entries) {
      const scope = key === 'set' && entry.value.kind === 'map' ? SCOPE_KEYS.get(entry.key) : undefined;
      const written = scope === undefined ? [entry] : entry.value.entries;
      for (const each of written) this.write(nameOf(each), scope ?? key, isAction);
    }
  }

  private write(place: PlacedName, key: string, isAction: boolean): void {
    const [first = '', second] = place.name.split('.');
    const scope = second === undefined ? undefined : SCOPE_KEYS.get(first);
    const written = place.part(
      scope === undefined ? first : second!,
      scope === undefined ? 0 : first.length + 1,
    );
    const { iter, ctx, locals } = this.into;
    const to = scope ?? key;
    (to === 'set_iter' ? iter : to === 'set_ctx' || to === 'vars' || isAction ? ctx : locals).push(written);
  }
}

function workbookTasks(text: string, node: OutlineNode | undefined): DeclaredTask[] {
  const listed = (node?.items ?? []).flatMap((item) =>
    scalarNames(text, valueAt(item, 'name')).map((at) => [at, item] as const),
  );
  const entries = (node?.entries ?? []).map((entry) => [nameOf(entry), entry.value] as const);
  return [...listed, ...entries].map(([at, item]) => {
    const tool = valueAt(item, 'tool') ?? item;
    return { name: at.name, at, node: tool, kind: scalarText(text, valueAt(tool, 'kind')) };
  });
}

const WRITE_KEYS = new Set(['set', 'set_ctx', 'set_iter', 'vars']);
const INPUT_KEYS = new Set(['input', 'args', 'with']);

/** The lists of tasks in a task: the body of an iterator, of a repetition, of branches. */
function bodiesOf(task: OutlineNode, kind: string | undefined): OutlineNode[] {
  const keys = ['do', ...(kind === 'iterator' ? ['tool', 'task', 'tasks', 'steps', 'pipeline'] : [])];
  const branches = (valueAt(task, 'choose')?.items ?? []).flatMap(({ entries }) =>
    entries.flatMap(({ key, value }) => (key === 'when' ? [] : [value])),
  );
  const own = [task, valueAt(task, 'while'), valueAt(task, 'until')].flatMap((node) =>
    keys.map((key) => valueAt(node, key)),
  );
  return [...own, ...branches].flatMap((node) =>
    node === undefined || node.kind === 'scalar' ? [] : [node],
  );
}

const SCOPE_KEYS = new Map([
  ['ctx', 'set_ctx'],
  ['vars', 'set_ctx'],
  ['iter', 'set_iter'],
  ['step', 'set'],
]);
