/** Live names: those that can still affect a decision. All others are ignored when states are compared. */
import { isMapping, objectsIn, type Plan, type StepPlan } from '../../../language/plan';
import { type Template } from '../../../language/template/runtime';

type Words = ReadonlySet<string>;

/** What a step reads and writes. */
interface Access {
  /** Names and keys in its guards. */
  readonly guards: Words;
  /** Names and keys in all its templates. */
  readonly reads: Words;
  /** Keys of ctx that its templates read; `*`: all of them. */
  readonly ctx: Words;
  /** Keys of ctx, with the value if it is always the same, as JSON. */
  readonly writes: ReadonlyMap<string, string | null>;
}

export class Relevance {
  private readonly access = new Map<string, Access>();
  private readonly reach = new Map<string, Words>();
  private readonly live = new Map<string, Words>();
  /** Where each name gets its value from. */
  private readonly flows: (readonly [names: readonly string[], from: Words])[] = [];

  /** @param guards the templates that decide */
  constructor(
    private readonly plan: Plan,
    guards: { has(template: Template): boolean },
  ) {
    for (const step of plan.steps) this.access.set(step.name, this.accessOf(step, guards));
  }

  /** The names that guards of these steps, or of steps after them, depend on. */
  liveAt(steps: readonly string[]): Words {
    const key = [...new Set(steps)].sort().join('\n');
    let words = this.live.get(key);
    if (!words) this.live.set(key, (words = this.closed(steps)));
    return words;
  }

  reads(step: string): Words {
    return this.access.get(step)!.reads;
  }

  /** Whether it reads that key of ctx, or ctx as a whole. */
  readsOfCtx(step: string, key: string): boolean {
    const { ctx } = this.access.get(step)!;
    return ctx.has(key) || ctx.has('*');
  }

  writes(step: string): ReadonlyMap<string, string | null> {
    return this.access.get(step)!.writes;
  }

  /** The steps that can follow a step, and itself. */
  reachable(step: string): Words {
    const cached = this.reach.get(step);
    if (cached) return cached;
    const names = new Set<string>();
    const queue = [step];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (names.has(name)) continue;
      names.add(name);
      const arcs = this.plan.steps.find((one) => one.name === name)?.router?.arcs ?? [];
      for (const arc of arcs) if (arc.step !== null) queue.push(arc.step);
    }
    this.reach.set(step, names);
    return names;
  }

  /** Whether the order of the next events in two branches can affect a guard. */
  conflict(a: string, b: string): boolean {
    const [left, right] = [this.reachable(a), this.reachable(b)];
    const [only, other] = [
      [...left].filter((step) => !right.has(step)),
      [...right].filter((step) => !left.has(step)),
    ];
    const live = this.liveAt([a, b]);
    const disturbs = (some: readonly string[], others: readonly string[]): boolean =>
      some.some((step) =>
        [...this.writes(step).keys()].some(
          (key) =>
            live.has(key) && others.some((one) => this.reads(one).has(key) || this.writes(one).has(key)),
        ),
      );
    return disturbs(only, other) || disturbs(other, only);
  }

  private closed(steps: readonly string[]): Words {
    const words = new Set(
      steps.flatMap((step) => [...this.reachable(step)].flatMap((one) => [...this.access.get(one)!.guards])),
    );
    for (let size = -1; size !== words.size;) {
      size = words.size;
      for (const [names, from] of this.flows)
        if (names.some((name) => words.has(name))) for (const word of from) words.add(word);
    }
    return words;
  }

  /** A `collect`. */
  private gathers(into: unknown, from: unknown): void {
    if (from !== undefined && typeof into === 'object' && into !== null)
      this.flows.push([(into as { path: string[] }).path, wordsOf(from)]);
  }

  private accessOf(step: StepPlan, guards: { has(template: Template): boolean }): Access {
    const deciding = new Set<string>();
    const reads = new Set<string>();
    const ctx = new Set<string>();
    const writes = new Map<string, string | null>();
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if (Array.isArray(node)) {
        if (node.length === 2 && typeof node[0] === 'string') this.flows.push([[node[0]], wordsOf(node[1])]);
        return node.forEach(walk);
      }
      const { kind, source, path, scope, value, into, from } = node as Record<string, unknown>;
      if (typeof source === 'string' && (kind === 'expression' || kind === 'text')) {
        const isGuard = guards.has(node as Template);
        addAll(reads, wordsOf(node));
        if (isGuard) addAll(deciding, wordsOf(node));
        addAll(ctx, ctxKeys(node));
        return;
      }
      if (Array.isArray(path) && typeof scope === 'string') {
        this.flows.push([path as string[], wordsOf(value)]);
        if (scope === 'ctx') written(writes, (path as string[])[0]!, constantOf(value));
      }
      this.gathers(into, from);
      Object.values(node).forEach(walk);
    };
    walk(step);
    return { guards: deciding, reads, ctx, writes };
  }
}

/** `constant`: null if it depends on something. */
function written(writes: Map<string, string | null>, key: string, constant: string | null): void {
  const before = writes.get(key);
  writes.set(key, before === undefined || before === constant ? constant : null);
}

/** A gathering write keeps what others wrote; constant writes commute. */
function constantOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && 'const' in value ? JSON.stringify(value.const) : null;
}

function addAll(set: Set<string>, words: Iterable<string>): void {
  for (const word of words) set.add(word);
}

/** The keys of ctx that a template reads, by their bare names too. */
function ctxKeys(template: unknown): string[] {
  const isCtx = (node: unknown): boolean => isMapping(node) && node['op'] === 'name' && node['n'] === 'ctx';
  const keyed = new Set<unknown>();
  const keys = [...objectsIn(template)].flatMap((node) => {
    const { op, n, o, k } = node;
    if (op === 'name') return n === 'ctx' ? [] : [String(n)];
    if (!isCtx(o)) return [];
    const [first] = (node['a'] as { readonly v?: unknown }[] | undefined) ?? [];
    const key = op === 'get' ? k : op === 'method' && n === 'get' ? first?.v : undefined;
    if (typeof key !== 'string') return [];
    keyed.add(o);
    return [key];
  });
  const isWhole = [...objectsIn(template)].some((node) => isCtx(node) && !keyed.has(node));
  return isWhole ? [...keys, '*'] : keys;
}

/** The names and keys in the templates of a value. */
function wordsOf(value: unknown): Words {
  const words = [...objectsIn(value)].map(({ op, n, k }) =>
    op === 'name' ? n : op === 'get' ? k : undefined,
  );
  return new Set(words.filter((word) => typeof word === 'string'));
}
