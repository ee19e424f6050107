import { FORBIDDEN_NAMES, type PlaceKind, ROOTS, ROOTS_AT, whereInScope } from '../../plan';
import { filterNames, globalNames, type TemplateReference, references, testNames } from '../../template';
import { type Template } from '../../template/ir';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { didYouMean, suggestionOf } from '../diagnostics/suggest';
import { type StepDoc, type TaskDoc } from '../document/document';
import { orNoItems, outcomeAs } from '../fixes/templates';
import { dashedPaths, keysAt } from './dashes';
import { type CheckFinding } from './finding';
import { hiddenName } from './hidden';
import { lossyLiterals } from './literals';
import { type KeychainCheck } from './keychain';
import { ofOneIteration } from './iterations';
import { findMethod } from './methods';
import { findPattern } from './patterns';
import { type Names } from './names';
import { type Order } from './order';
import { OUTSIDE_ITERATIONS, type TemplatePlace } from './place';
import { wrongStatuses } from './statuses';
import { textParts } from './text-parts';
import { findTooLong, TOO_LONG_BUDGET } from './too-long';

const GLOBALS: ReadonlySet<string> = new Set(globalNames);
const FILTERS: ReadonlySet<string> = new Set(filterNames);
const TESTS: ReadonlySet<string> = new Set(testNames);

/** For a call that names its credential otherwise. */
const TOKEN =
  'write `token("NAME")` or `token(workload.name)`: which credential is read must be known before the run';

/** Keys of `iter` provided by the runtime. */
const ITER_KEYS = new Set(['index', '_index', '_first', '_last', '_total', 'total', 'parent', 'item']);

/** Of those, in a cursor loop. */
const ITER_KEYS_OF_FRAMES = new Set([
  '_frame_index',
  '_frame_row_index',
  '_frame_row_count',
  '_worker_slot_id',
]);
/** What a claim sees. */
const CLAIM_NAMES = new Set(['__frame_max_rows', '__frame_policy', '__worker_slot_id']);

const BEFORE_ITERATIONS: ReadonlySet<PlaceKind> = new Set(['loop', 'admit', 'enter']);

function isOfIteration(root: string, { loop }: StepDoc): boolean {
  return root === loop?.iterator || (root === 'frame' && loop?.cursor !== undefined);
}

function isOfTask(root: string, task: TaskDoc | undefined): boolean {
  if (CLAIM_NAMES.has(root)) return task?.stands?.kind === 'loop';
  return task?.inputs.some((input) => input.key === root) ?? false;
}

/** Checks every name, filter, test and function of a template against the playbook's definitions. */
export class ReferenceCheck {
  private readonly budget = { left: TOO_LONG_BUDGET };
  /** All names that templates read. */
  roots = new Set<string>();

  constructor(
    private readonly names: Names,
    private readonly order: Order,
    private readonly report: Report,
    readonly keychain: KeychainCheck,
  ) {}

  check(template: Template, place: TemplatePlace, at: (offset: number, length: number) => Located): void {
    const reads = references(template);
    for (const { literal, offset } of lossyLiterals(template))
      this.report.add(
        'NT1014',
        at(offset, literal.length),
        `the decimal ${literal} loses digits: it is read as ${Number(literal)}`,
        'write it as text',
      );
    for (const { code, offset, length, message, hint } of wrongStatuses(template, reads, place.kind))
      this.report.add(code, at(offset, length), message, hint);
    const tooLong = place.kind === 'loop' ? findTooLong(template, reads, this.budget) : undefined;
    if (tooLong) this.report.add(tooLong.code, at(0, 0), tooLong.message, tooLong.hint);
    const dashed = dashedPaths(template, reads, keysAt(this.names, place), (each) =>
      this.isKnown(each, place),
    );
    for (const { start, end, message, hint } of dashed)
      this.report.add('NT3031', at(start, end - start), message, hint);
    for (const reference of reads) {
      this.roots.add(reference.root);
      const older = outcomeAs(reference);
      if (older) this.report.older(at(reference.offset, reference.root.length), older);
      const finding = this.find(reference, place);
      if (finding === undefined) continue;
      if (dashed.some(({ start, end }) => reference.offset >= start && reference.offset < end)) continue;
      this.report.add(
        finding.code,
        at(reference.offset, reference.root.length),
        finding.message,
        finding.hint,
      );
    }
    for (const { root, path, offset } of textParts(template, place.text === true)) {
      const finding = root === 'keychain' ? this.keychain.findInText(path) : undefined;
      if (finding) this.report.add(finding.code, at(offset, root.length), finding.message, finding.hint);
    }
  }

  /** Whether the template has roots and all are known in this place. */
  allKnown(template: Template, place: TemplatePlace): boolean {
    const reads = references(template);
    return reads.some((each) => each.kind === 'name') && reads.every((each) => this.isKnown(each, place));
  }

  private isKnown(reference: TemplateReference, place: TemplatePlace): boolean {
    switch (reference.kind) {
      case 'filter':
        return FILTERS.has(reference.root);
      case 'test':
        return TESTS.has(reference.root);
      case 'method':
        return true;
      default:
        return this.defines(reference.root, place) || GLOBALS.has(reference.root);
    }
  }

  private find(reference: TemplateReference, place: TemplatePlace): CheckFinding | undefined {
    const { root } = reference;
    if (root === 'keychain' && (reference.kind === 'name' || reference.kind === 'call'))
      return this.keychain.find(reference, place);
    switch (reference.kind) {
      case 'filter':
        return FILTERS.has(root)
          ? findPattern(reference)
          : { code: 'NT4102', message: `no filter is called \`${root}\``, hint: didYouMean(root, FILTERS) };
      case 'test':
        return TESTS.has(root)
          ? findPattern(reference)
          : { code: 'NT4103', message: `no test is called \`${root}\``, hint: didYouMean(root, TESTS) };
      case 'method':
        return findMethod(root);
      case 'call':
        return GLOBALS.has(root) || this.defines(root, place)
          ? undefined
          : {
              code: 'NT4101',
              message: `no function is called \`${root}\``,
              hint: root === 'token' ? TOKEN : didYouMean(root, GLOBALS),
            };
      default:
        return this.findName(reference, place);
    }
  }

  private findName(reference: TemplateReference, place: TemplatePlace): CheckFinding | undefined {
    const { root, guarded } = reference;
    const misplaced =
      this.iteratorAtBoundary(reference, place) ??
      ofOneIteration(reference, place) ??
      this.beforeSteps(root, place);
    if (misplaced !== undefined) return misplaced;
    if (ROOTS_AT[place.kind].has(root) && !FORBIDDEN_NAMES.has(root))
      return hiddenName(root, place, this.names);
    if (this.defines(root, place)) return guarded ? undefined : this.findKey(reference, place);
    if (GLOBALS.has(root) || guarded) return undefined;
    if (ROOTS.has(root)) {
      return {
        code: 'NT3014',
        message: `\`${root}\` has no value here`,
        hint: `it has one ${whereInScope(root)}`,
      };
    }
    const elsewhere = this.elsewhere(root);
    if (elsewhere !== undefined) return elsewhere;
    const near = suggestionOf(root, itemOf(root, place), []) ?? didYouMean(root, this.visible(place));
    if (near !== undefined) return { code: 'NT3011', message: `nothing is called \`${root}\``, hint: near };
    const hint = `declare it in \`workload\`, or write \`${root} | default(…)\``;
    const message = `nothing in the playbook defines \`${root}\``;
    return { code: 'NT3012', message, hint: place.kind === 'loop' ? { hint, ...orNoItems } : hint };
  }

  /** The keychain is resolved before any step has a result. */
  private beforeSteps(root: string, { kind }: TemplatePlace): CheckFinding | undefined {
    const { steps, workload } = this.names;
    if (kind !== 'keychain' || !steps.has(root) || workload.has(root)) return undefined;
    const hint = 'the keychain is resolved before the first step: it reads the workload';
    return { code: 'NT3014', message: `\`${root}\` has no value here`, hint };
  }

  /** The current item is not available after the loop. */
  private iteratorAtBoundary(reference: TemplateReference, place: TemplatePlace): CheckFinding | undefined {
    const iterator = place.step?.loop?.iterator;
    const { root } = reference;
    if (iterator === undefined || (!OUTSIDE_ITERATIONS.has(place.kind) && !place.boundary)) return undefined;
    const itself = root === iterator && !this.isGlobal(iterator, place);
    if (!itself && (root !== 'iter' || place.kind === 'done')) return undefined;
    if (place.boundary) {
      if (reference.guarded) return undefined;
      return {
        code: 'NT3023',
        message: `\`${root}\` belongs to one iteration, and has no value after the loop`,
        hint: 'make the rule react to `call.done`, or store in it, so that it runs once per iteration',
      };
    }
    const when = BEFORE_ITERATIONS.has(place.kind) ? 'before the first iteration' : 'when the loop is over';
    return {
      code: 'NT3013',
      message: `\`${root}\` belongs to one iteration, and this is read ${when}`,
      hint: 'read the results of all iterations by the name of the step, or write what you need with `set: {ctx.…}`',
    };
  }

  private defines(root: string, place: TemplatePlace): boolean {
    return ROOTS_AT[place.kind].has(root) || this.isLocal(root, place) || this.isGlobal(root, place);
  }

  private isLocal(root: string, { step, task, kind, boundary, loops }: TemplatePlace): boolean {
    if (step === undefined) return false;
    if (loops?.some((loop) => loop.iterator === root)) return true;
    const own = this.names.ofStep.get(step.name);
    if (own === undefined) return false;
    if (own.inputs.has(root) || own.locals.has(root) || own.tasks.has(root)) return true;
    if (own.iter.has(root)) return true;
    if (isOfIteration(root, step)) return !OUTSIDE_ITERATIONS.has(kind) && !boundary;
    return isOfTask(root, task);
  }

  private isGlobal(root: string, { step }: TemplatePlace): boolean {
    const { workload, ctx, steps } = this.names;
    return (
      workload.has(root) ||
      ctx.has(root) ||
      steps.has(root) ||
      (step !== undefined && (this.names.ofStep.get(step.name)?.inputs.has(root) ?? false))
    );
  }

  /** A name defined only within another step. */
  private elsewhere(root: string): CheckFinding | undefined {
    for (const [step, own] of this.names.ofStep) {
      if (own.locals.has(root)) {
        return {
          code: 'NT3016',
          message: `\`${root}\` is a variable of the step \`${step}\` only`,
          hint: `write it there as \`ctx.${root}\``,
        };
      }
      if (own.tasks.has(root)) {
        return {
          code: 'NT3016',
          message: `\`${root}\` is a task of the step \`${step}\` only`,
          hint: `read it as \`${step}.results.${root}\``,
        };
      }
    }
    return undefined;
  }

  /** The second part of a path: keys of `ctx`, `iter`, `workload`, `keychain` and `<step>.results`. */
  private findKey(reference: TemplateReference, place: TemplatePlace): CheckFinding | undefined {
    const { root, path } = reference;
    const [key] = path;
    const early = this.tooEarly(root, key, place);
    if (early !== undefined) return early;
    if (typeof key !== 'string') return undefined;
    if (root === 'ctx' || root === 'vars')
      return this.names.workload.has(key)
        ? undefined
        : this.unknownKey(root, key, this.names.ctx, 'NT3015', 'no `set` of the playbook writes');
    if (root === 'iter') return this.findIter(key, place);
    if (root === 'workload') return this.findWorkload(key, place);
    const step = this.names.steps.get(root);
    if (
      step === undefined ||
      !step.pipeline ||
      step.loop !== undefined ||
      key !== 'results' ||
      typeof path[1] !== 'string'
    )
      return undefined;
    const tasks = step.tasks.map((task) => task.name);
    return tasks.includes(path[1])
      ? undefined
      : {
          code: 'NT3017',
          message: `the step \`${root}\` has no task \`${path[1]}\``,
          hint: didYouMean(path[1], tasks),
        };
  }

  /** Results and variables that are never assigned before this place reads them. */
  private tooEarly(
    root: string,
    key: string | number | undefined,
    { step }: TemplatePlace,
  ): CheckFinding | undefined {
    if (step === undefined || this.isLocal(root, { kind: 'task', step })) return undefined;
    const { ctx, workload, steps } = this.names;
    if ((root === 'ctx' || root === 'vars') && typeof key === 'string' && ctx.has(key)) {
      if (workload.has(key) || this.order.canBeWritten(key, step.name)) return undefined;
      return {
        code: 'NT3021',
        message: `\`${root}.${key}\` is written later than the step \`${step.name}\` reads it`,
      };
    }
    if (!steps.has(root) || ctx.has(root) || workload.has(root) || this.order.canPrecede(root, step.name))
      return undefined;
    return {
      code: 'NT3021',
      message: `the step \`${root}\` never runs before \`${step.name}\`, which reads its result`,
    };
  }

  private findWorkload(key: string, { kind }: TemplatePlace): CheckFinding | undefined {
    const { workload } = this.names;
    if (workload.has(key)) return undefined;
    const near = didYouMean(key, workload);
    if (near !== undefined) return { code: 'NT3011', message: `the workload has no \`${key}\``, hint: near };
    const hint = 'add it to `workload`, or give it a `default`';
    const message = `the workload does not declare \`${key}\``;
    return { code: 'NT3012', message, hint: kind === 'loop' ? { hint, ...orNoItems } : hint };
  }

  private findIter(key: string, { step, loops = [] }: TemplatePlace): CheckFinding | undefined {
    const own = step === undefined ? undefined : this.names.ofStep.get(step.name);
    if (own === undefined || step === undefined) return undefined;
    const iterators = [...(step.loop === undefined ? [] : [step.loop]), ...loops].map(
      (loop) => loop.iterator,
    );
    if (ITER_KEYS.has(key) || iterators.includes(key) || own.iter.has(key)) return undefined;
    if (step.loop?.cursor && (ITER_KEYS_OF_FRAMES.has(key) || key === `${step.loop.iterator}_rows`))
      return undefined;
    if (iterators.length === 0 && own.iter.size === 0) {
      return {
        code: 'NT3019',
        message: `the step \`${step.name}\` has no loop, so \`iter.${key}\` has no value`,
      };
    }
    const names = [...own.iter, ...iterators, ...ITER_KEYS];
    return this.unknownKey('iter', key, new Set(names), 'NT3015', 'nothing in this step writes');
  }

  private unknownKey(
    root: string,
    key: string,
    keys: ReadonlySet<string>,
    code: 'NT3015' | 'NT3018',
    why: string,
  ): CheckFinding | undefined {
    return keys.has(key)
      ? undefined
      : { code, message: `${why} \`${root}.${key}\``, hint: didYouMean(key, keys) };
  }

  private visible(place: TemplatePlace): Set<string> {
    const own = place.step === undefined ? undefined : this.names.ofStep.get(place.step.name);
    const iterator = place.step?.loop?.iterator;
    return new Set([
      ...this.names.workload,
      ...this.names.ctx,
      ...this.names.steps.keys(),
      ...(own === undefined ? [] : [...own.inputs, ...own.locals, ...own.tasks, ...own.iter]),
      ...(iterator === undefined ? [] : [iterator]),
      ...(place.loops ?? []).map((loop) => loop.iterator),
      ...(place.task?.inputs.map((input) => input.key) ?? []),
      ...ROOTS_AT[place.kind],
    ]);
  }
}

/** What the loop calls the item that a template calls `item`. */
function itemOf(root: string, { loops, step }: TemplatePlace): string | undefined {
  return root === 'item' ? (loops?.at(-1) ?? step?.loop)?.iterator : undefined;
}
