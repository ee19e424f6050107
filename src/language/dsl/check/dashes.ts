/** Names with a dash, which expressions read as a subtraction: `workload.api-url` is `workload.api` minus `url`. */
import { hasTemplateSyntax, parseTemplate, type TemplateReference } from '../../template';
import { type Template } from '../../template/ir';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { type Document } from '../document/document';
import { type Names } from './names';
import { tasksOf, writesInside } from './parts';
import { type TemplatePlace } from './place';

/** Whether an expression can read the name as it is: `fetch_data`, but neither `fetch-data` nor `if`. */
export function isReadable(name: string): boolean {
  if (hasTemplateSyntax(name)) return false;
  try {
    const template = parseTemplate(`{{ ${name} }}`);
    return template.kind === 'expression' && template.expr.op === 'name' && template.expr.n === name;
  } catch {
    return false;
  }
}

/** Warns of steps, tasks, iterators and bare variables whose names no template can read. */
export function checkReadable(document: Document, report: Report): void {
  const check = (what: string, name: string, at: Located): void => {
    // A name with a template in it, or without any text, has its own diagnostic.
    if (name.trim() === '' || hasTemplateSyntax(name) || isReadable(name)) return;
    const other = name.normalize('NFKC').replaceAll(/[^\p{L}\p{N}_]+/gu, '_');
    const fresh = isReadable(other) ? other : `${what === 'iterator' ? 'item' : what}_${other}`;
    report.add(
      'NT3030',
      at,
      `no template can read ${what === 'iterator' ? 'an' : 'a'} ${what} called \`${name}\``,
      `call it \`${fresh}\``,
    );
  };
  for (const step of document.steps) {
    check('step', step.name, step.at);
    for (const { name, at } of tasksOf(step)) if (!isNamedAfter(step.name, name)) check('task', name, at);
    for (const { loop } of [step, ...tasksOf(step)])
      if (loop !== undefined) check('iterator', loop.iterator, loop.iteratorAt);
    for (const write of writesInside(step))
      if (write.scope === 'local') check('variable', write.path[0]!, write.at);
  }
}

/** Tasks without a name of their own. */
const isNamedAfter = (step: string, task: string): boolean =>
  task === step || (task.startsWith(`${step}_`) && !isReadable(step));

/** Part of a template that is read as a subtraction. */
export interface Dashed {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

/** A path up to its minus; it begins where no other can, or behind `]` and `)`. */
const PATH =
  /(?:(?<![\p{L}\p{N}_.])|(?<=[\])]\.))[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*(?:-[\p{L}\p{N}_]+)+/gu;

/** Finds subtractions without blanks that are, or can only be, meant as a key. */
export function dashedPaths(
  { source }: Template,
  reads: readonly TemplateReference[],
  keysOf: KeysOf,
  isKnown: (reference: TemplateReference) => boolean,
): Dashed[] {
  if (!source.includes('-')) return [];
  return [...source.matchAll(PATH)].flatMap(({ 0: text, index: start }) => {
    const end = start + text.length;
    const inside = reads.filter(({ kind, offset }) => kind === 'name' && offset >= start && offset < end);
    if (inside.length === 0) return [];
    const dash = text.indexOf('-');
    const owner = text.slice(0, dash).split('.');
    const key = owner.pop()! + text.slice(dash);
    if (source[start - 1] === '.') owner.unshift('…');
    const message = `\`${text}\` is \`${text.slice(0, dash)}\` minus \`${text.slice(dash + 1)}\``;
    const named = ownerOf(owner, key, keysOf);
    if (named === null)
      return [{ start, end, message, hint: `rename \`${key}\`: a name with a dash cannot be read` }];
    const tail = inside.find(({ offset }) => offset > start);
    const unknown = owner.length > 0 && tail !== undefined && !tail.guarded && !isKnown(tail);
    const of = named ?? (unknown ? owner.join('.') : undefined);
    if (of === undefined) return [];
    return [{ start, end, message, hint: `write \`${of}['${key}']\`, or put blanks around the minus` }];
  });
}

/** What a place can read, by the root below which it is read; names without one have the root ''. */
type KeysOf = Readonly<Record<string, (key: string) => boolean>>;

/** The keys of each root in a place. */
export function keysAt({ steps, workload, ctx, ofStep }: Names, { step, task }: TemplatePlace): KeysOf {
  const own = step && ofStep.get(step.name);
  const has = (set: ReadonlySet<string> | undefined, key: string): boolean => set?.has(key) ?? false;
  const isInput = (key: string): boolean =>
    has(own?.inputs, key) || (task?.inputs.some((input) => input.key === key) ?? false);
  return {
    args: isInput,
    ctx: (key) => ctx.has(key),
    vars: (key) => ctx.has(key),
    iter: (key) => has(own?.iter, key),
    workload: (key) => workload.has(key),
    '': (key) =>
      steps.has(key) || has(own?.tasks, key) || has(own?.locals, key) || step?.loop?.iterator === key,
  };
}

/** What is read with `['key']` instead; null for what cannot be read at all; undefined if nothing has this key. */
function ownerOf(owner: readonly string[], key: string, keysOf: KeysOf): string | null | undefined {
  if (owner.length > 0) return owner.length === 1 && keysOf[owner[0]!]?.(key) ? owner[0] : undefined;
  const root = Object.keys(keysOf).find((each) => keysOf[each]!(key));
  return root === '' ? null : root;
}
