/** The names that an expression can read at a place, and what is known about their values. */
import { type PlaceKind, ROOTS_AT } from '../../language/plan';
import { pathBefore } from '../text/expression';
import { type OutlineNode, scalarText } from '../text/node';
import { type PlaybookFacts, type DeclaredStep, type DeclaredTask } from './facts';
import { type KnownResults, type KnownValue, merged, ofOutline, ResultFields, ROOT_FIELDS } from './fields';

export interface ScopePlace {
  readonly kind: PlaceKind;
  readonly step?: DeclaredStep;
  readonly task?: DeclaredTask;
}

/** What a name is, in one word. */
export type NameKind = 'iterator' | 'input' | 'variable' | 'task' | 'step' | 'workload' | 'runtime';

export interface ScopeName {
  readonly name: string;
  readonly kind: NameKind;
  readonly detail: string;
}

/** Names for the outcome of a task. */
const RESULTS = new Set(['output', 'outcome', 'this', 'response', 'result', 'data']);

interface VariablePlace {
  readonly name: string;
  readonly value?: OutlineNode;
  /** The value is a list, of which the variable is an item. */
  readonly items?: true;
}

export class NameScope {
  private readonly results: ResultFields;
  private passed?: { name: string }[];

  constructor(
    readonly facts: PlaybookFacts,
    private readonly place: ScopePlace,
    samples?: KnownResults,
  ) {
    this.results = new ResultFields(facts, samples);
  }

  /** All names, the nearest first. */
  names(): ScopeName[] {
    const { step, task, kind } = this.place;
    const all: ScopeName[] = [];
    const add = (of: NameKind, detail: string, given: Iterable<{ readonly name?: string }>): void => {
      for (const { name } of given)
        if (name !== undefined && name !== '') all.push({ name, kind: of, detail });
    };
    if (step) {
      add('iterator', 'the current item', step.iterators);
      add('input', 'an input of the step', step.inputs);
      add('input', 'an input, passed by an arc', this.arriving(step.name));
      add('variable', 'a variable of the step', step.locals);
      const before = step.tasks.filter(
        (each) => each !== task && (task === undefined || each.node.start < task.node.start),
      );
      if (step.tasks.length > 1) add('task', 'the result of a task', before.toReversed());
    }
    add('step', 'the result of a step', this.precedingSteps());
    add('variable', 'a variable of the execution', this.facts.ctx);
    add(
      'workload',
      'an input of the playbook',
      (this.facts.workload?.entries ?? []).map(({ key }) => ({ name: key })),
    );
    add(
      'runtime',
      'of the runtime',
      [...ROOTS_AT[kind]].map((name) => ({ name })),
    );
    const seen = new Set<string>();
    return all.filter(({ name }) => !seen.has(name) && seen.add(name));
  }

  /** Steps that can have run before this one, the nearest first; other steps behind them. */
  precedingSteps(): DeclaredStep[] {
    const { step } = this.place;
    const { steps } = this.facts;
    if (step === undefined) return [...steps];
    const leading = new Map<string, DeclaredStep[]>();
    for (const each of steps)
      for (const { name } of each.targets) leading.set(name, [...(leading.get(name) ?? []), each]);
    const distance = new Map<string, number>();
    let frontier = [step.name];
    for (let far = 1; frontier.length > 0 && far < 50; far += 1) {
      const before = frontier
        .flatMap((name) => leading.get(name) ?? [])
        .filter(({ name }) => !distance.has(name));
      for (const { name } of before) distance.set(name, far);
      frontier = before.map(({ name }) => name);
    }
    const rank = (each: DeclaredStep): number => distance.get(each.name) ?? 100;
    const own = ['arc', 'done', 'guard', 'action', 'route', 'outcome'].includes(this.place.kind);
    return steps
      .filter((each) => own || each !== step)
      .toSorted((a, b) => (a === step ? 0 : rank(a)) - (b === step ? 0 : rank(b)));
  }

  /** Inputs that arcs pass to a step. */
  private arriving(target: string): { name: string }[] {
    return (this.passed ??= this.facts.steps.flatMap((each) =>
      arcsTo(this.facts.text, each.node, target).flatMap((arc) =>
        arc.entries
          .filter(({ key }) => key === 'args' || key === 'input' || key === 'set')
          .flatMap(({ value }) => value.entries.map(({ key }) => ({ name: key }))),
      ),
    ));
  }

  /** What is known about the value at a path. */
  at(path: readonly string[], depth = 0): KnownValue {
    const [root = '', ...keys] = path;
    let value = this.root(root, depth, keys[0]);
    for (const key of keys) {
      if (/^-?\d+$/.test(key)) value = value.items ?? {};
      else value = own(value.fields, key) ?? {};
    }
    return value;
  }

  /** @param key what is asked of it: nothing else of it is resolved */
  private root(name: string, depth: number, key?: string): KnownValue {
    if (depth > 4) return {};
    const { facts, place } = this;
    const { step, task } = place;
    const collected = this.collections()[name];
    if (collected) return merged([this.variables(collected, depth, key), own(ROOT_FIELDS, name)]);
    if (name === 'workload') return ofOutline(facts.text, facts.workload);
    if (step && ROOTS_AT[place.kind].has(name) && RESULTS.has(name)) {
      const of = task ?? step.tasks.at(-1);
      const isPayload = name === 'data' || name === 'result';
      return of === undefined
        ? {}
        : isPayload
          ? this.results.ofTask(of, step.name)
          : this.results.envelope(of, step.name);
    }
    if (name === '_prev' && step) return this.previous(step, task);
    return this.declared(name, depth) ?? own(ROOT_FIELDS, name) ?? {};
  }

  /** Names of the runtime whose keys are names of the playbook. */
  private collections(): Readonly<Record<string, readonly VariablePlace[]>> {
    const { facts, place } = this;
    const { step } = place;
    const items = (step?.iterators ?? []).map(({ name, value }) => ({ name, value, items: true as const }));
    const inputs = [...(step?.inputs ?? []), ...(step ? this.arriving(step.name) : [])];
    return {
      ctx: facts.ctx,
      vars: facts.ctx,
      iter: [...(step?.iter ?? []), ...items],
      args: inputs,
      input: inputs,
      keychain: facts.keychain,
    };
  }

  /** A name that the playbook declares. */
  private declared(name: string, depth: number): KnownValue | undefined {
    const { facts, place } = this;
    const { step } = place;
    const isIt = (each: { readonly name?: string }): boolean => each.name === name;
    const iterator = step?.iterators.find(isIt);
    if (iterator) return this.ofNode(iterator.value, depth + 1).items ?? {};
    const local = step ? [...step.inputs, ...step.locals].filter(isIt) : [];
    const task = name === step?.name || local.length > 0 ? undefined : step?.tasks.find(isIt);
    if (task && step) return this.results.ofTask(task, step.name);
    const written = local.length > 0 ? local : facts.ctx.filter(isIt);
    if (written.length > 0) return merged(written.map((each) => this.ofNode(each.value, depth + 1)));
    const of = facts.steps.find(isIt);
    return of ? this.results.ofStep(of) : own(ofOutline(facts.text, facts.workload).fields, name);
  }

  private previous(step: DeclaredStep, task: DeclaredTask | undefined): KnownValue {
    const at = task ? step.tasks.indexOf(task) : step.tasks.length;
    const before = step.tasks[at - 1];
    return before ? this.results.ofTask(before, step.name) : {};
  }

  private variables(places: readonly VariablePlace[], depth: number, key: string | undefined): KnownValue {
    const fields: Record<string, KnownValue> = {};
    for (const { name, value, items } of places) {
      const of = name === key ? this.ofNode(value, depth + 1) : {};
      fields[name] = merged([fields[name], items ? of.items : of]);
    }
    return { fields };
  }

  /** A value of the playbook: data, or a template that is nothing but a path. */
  ofNode(node: OutlineNode | undefined, depth = 0): KnownValue {
    const text = scalarText(this.facts.text, node);
    const path = text === undefined ? null : /^\s*\{\{-?\s*(.+?)\s*(?:\|.*)?-?\}\}\s*$/.exec(text);
    if (path?.[1] === undefined) return ofOutline(this.facts.text, node);
    const parts = pathBefore(path[1].trim());
    return parts === undefined || depth > 4 ? {} : this.at(parts, depth);
  }
}

function own(fields: KnownValue['fields'], key: string): KnownValue | undefined {
  return fields && Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The arcs of a step that lead to another. */
function arcsTo(text: string, node: OutlineNode, target: string): OutlineNode[] {
  const arcs: OutlineNode[] = [];
  const visit = (each: OutlineNode): void => {
    if (
      each.entries.some(
        ({ key, value }) => key === 'step' && scalarText(text, value)?.replace(/^["']|["']$/g, '') === target,
      )
    )
      arcs.push(each);
    for (const { value } of each.entries) visit(value);
    for (const item of each.items) visit(item);
  };
  const next = node.entries.filter(({ key }) => key === 'next' || key === 'case');
  for (const { value } of next) visit(value);
  return arcs;
}
