/** Every place at which a playbook names something that it declares. */
import { type PlaceKind, ROOTS_AT } from '../../language/plan';
import { nameOf, type NamePlace, scalarNames, type PlaybookFacts, type DeclaredStep } from '../names/facts';
import { type OutlineNode, scalarText, type TextRange, valueAt } from '../text/node';
import { keysAlong, pathAt, placeKindOf, stepOn } from '../place/path';
import { ROOT_FIELDS } from '../names/fields';
import { pathReads } from './reads';

export type DeclaredKind =
  | 'step'
  | 'task'
  | 'iterator'
  | 'input'
  | 'local'
  | 'iter'
  | 'ctx'
  | 'workload'
  | 'workbook';

/** A name of the playbook: what it names, and, unless it is known everywhere, in which step. */
export interface Declared {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly step?: string;
}

export interface Occurrence extends TextRange {
  readonly of: Declared;
  readonly role: 'definition' | 'write' | 'read';
}

const NO_KINDS = new Map<string, never>();

/** All occurrences of all names, in text order. */
export function occurrencesIn(facts: PlaybookFacts): Occurrence[] {
  const finder = new Finder(facts);
  finder.declarations();
  finder.scalars(facts.root, '');
  return finder.all.toSorted((a, b) => a.start - b.start);
}

export function sameName(a: Declared, b: Declared): boolean {
  return a.kind === b.kind && a.name === b.name && a.step === b.step;
}

class Finder {
  readonly all: Occurrence[] = [];
  private readonly ctx: ReadonlySet<string>;
  private readonly steps: ReadonlyMap<string, DeclaredStep>;
  private readonly workload: ReadonlySet<string>;
  private readonly arriving = new Map<string, Set<string>>();

  constructor(private readonly facts: PlaybookFacts) {
    this.ctx = new Set(facts.ctx.map(({ name }) => name));
    this.steps = new Map(facts.steps.map((step) => [step.name, step]));
    this.workload = new Set((facts.workload?.entries ?? []).map(({ key }) => key));
  }

  private add(kind: DeclaredKind, role: Occurrence['role'], at: NamePlace, step?: string): void {
    if (at.name === '' || at.name.includes('{{')) return;
    this.all.push({
      of: { kind, name: at.name, ...(step !== undefined && { step }) },
      role,
      start: at.start,
      end: at.end,
    });
  }

  declarations(): void {
    const { facts } = this;
    for (const entry of facts.workload?.entries ?? []) this.add('workload', 'definition', nameOf(entry));
    for (const entry of valueAt(facts.root, 'metadata', 'workload')?.entries ?? [])
      this.add('workload', 'write', nameOf(entry));
    for (const place of facts.ctx) this.add('ctx', 'write', place);
    for (const { at } of facts.workbook) if (at) this.add('workbook', 'definition', at);
    for (const place of this.named(valueAt(facts.root, 'executor', 'spec', 'entry_step')))
      this.add('step', 'read', place);
    for (const step of facts.steps) this.declarationsOf(step);
  }

  private declarationsOf(step: DeclaredStep): void {
    const { name } = step;
    this.add('step', 'definition', step);
    for (const target of unique(step.targets)) this.add('step', 'read', target);
    for (const place of step.iterators) this.add('iterator', 'definition', place, name);
    for (const place of step.inputs) this.add('input', 'definition', place, name);
    for (const place of step.locals) this.add('local', 'write', place, name);
    for (const place of step.iter) this.add('iter', 'write', place, name);
    for (const { at, kind, node } of step.tasks) {
      if (at) this.add('task', 'definition', at, name);
      const called = kind === 'workbook' ? (valueAt(node, 'task') ?? valueAt(node, 'name')) : undefined;
      for (const place of this.named(called)) this.add('workbook', 'read', place);
    }
    this.arcs(step.node, false);
  }

  /** Inputs that arcs pass on: they belong to the step that gets them. */
  private arcs(node: OutlineNode, isIn: boolean): void {
    const target = isIn ? scalarText(this.facts.text, valueAt(node, 'step')) : undefined;
    if (target !== undefined)
      for (const { key, value } of node.entries)
        if (['args', 'input', 'with', 'set'].includes(key))
          for (const entry of value.entries) {
            if (entry.key.includes('.')) continue;
            this.add('input', 'write', nameOf(entry), target);
            this.arriving.set(target, (this.arriving.get(target) ?? new Set()).add(entry.key));
          }
    for (const { key, value } of node.entries) this.arcs(value, isIn || key === 'next' || key === 'case');
    for (const item of node.items) this.arcs(item, isIn);
  }

  private named(node: OutlineNode | undefined): NamePlace[] {
    return scalarNames(this.facts.text, node);
  }

  /** Reads of expressions, and jumps to tasks. */
  scalars(node: OutlineNode, key: string): void {
    for (const item of node.items) this.scalars(item, key);
    for (const entry of node.entries) this.scalars(entry.value, entry.key);
    if (node.kind !== 'scalar') return;
    const reads = pathReads(this.facts.text, node, key);
    if (reads.length === 0 && key !== 'to') return;
    const path = pathAt(this.facts.root, node.start, { text: this.facts.text, kinds: NO_KINDS });
    const stepNode = stepOn(path);
    const step = this.facts.steps.find((each) => each.node === stepNode);
    for (const place of key === 'to' && step ? this.named(node) : [])
      if (step?.tasks.some(({ name }) => name === place.name)) this.add('task', 'read', place, step.name);
    const kind = placeKindOf(path.parts);
    const isInput = keysAlong(path.parts).some((each) => each === 'input' || each === 'args');
    for (const parts of reads) this.read(parts, { kind, step, isInput });
  }

  private read(parts: readonly NamePlace[], place: ReadPlace): void {
    const { kind, step } = place;
    const [root, key, third] = parts;
    if (root === undefined) return;
    if (ROOTS_AT[kind].has(root.name)) {
      if (key) this.keyOf(root.name, key, step);
      return;
    }
    const of = this.kindOf(root.name, place);
    if (of !== undefined) this.add(of, 'read', root, OF_STEP.has(of) ? step?.name : undefined);
    const tasks = of === 'step' && key?.name === 'results' ? this.steps.get(root.name)?.tasks : undefined;
    if (third && tasks?.some(({ name }) => name === third.name)) this.add('task', 'read', third, root.name);
  }

  /** What a name means in a step: the order is that of the language (docs/expressions.md#names). */
  private kindOf(name: string, { step, isInput }: ReadPlace): DeclaredKind | undefined {
    const has = (places: readonly { readonly name?: string }[] | undefined): boolean =>
      places?.some((each) => each.name === name) ?? false;
    const passes = step !== undefined && this.arriving.get(step.name)?.has(name);
    const order: readonly (readonly [DeclaredKind, boolean | undefined])[] = [
      ['iterator', has(step?.iterators)],
      // An input is not read by its own value: there the name means what it means outside.
      ['input', passes || (!isInput && has(step?.inputs))],
      ['local', has(step?.locals)],
      ['ctx', this.ctx.has(name)],
      ['iter', has(step?.iter)],
      ['task', has(step?.tasks) && name !== step?.name],
      ['step', this.steps.has(name)],
      ['workload', this.workload.has(name)],
    ];
    return order.find(([, holds]) => holds)?.[0];
  }

  private keyOf(root: string, key: NamePlace, step: DeclaredStep | undefined): void {
    if (root === 'workload') this.add('workload', 'read', key);
    else if (VARIABLES.has(root))
      this.add(this.ctx.has(key.name) || !this.workload.has(key.name) ? 'ctx' : 'workload', 'read', key);
    else if (root === 'iter' && ROOT_FIELDS['iter']?.fields?.[key.name] === undefined)
      this.add(
        step?.iterators.some(({ name }) => name === key.name) ? 'iterator' : 'iter',
        'read',
        key,
        step?.name,
      );
    else if (root === 'args' || root === 'input') this.add('input', 'read', key, step?.name);
  }
}

interface ReadPlace {
  readonly kind: PlaceKind;
  readonly step: DeclaredStep | undefined;
  /** In the value of an input. */
  readonly isInput: boolean;
}

const VARIABLES = new Set(['ctx', 'vars']);
const OF_STEP: ReadonlySet<DeclaredKind> = new Set(['iterator', 'input', 'local', 'iter', 'task']);

function unique(places: readonly NamePlace[]): NamePlace[] {
  return [...new Map(places.map((place) => [place.start, place])).values()];
}
