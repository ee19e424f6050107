/**
 * What history omits of an answer because nothing read it (lean results): marks stand in its place, so that a version
 * that reads other parts of the answer can be decided, and one that reads these is found out.
 */
import {
  declarationOf,
  isMapping,
  NOTED,
  objectsIn,
  type Outcome,
  type TaskCall,
} from '../../../language/plan';
import {
  lookup,
  plainValue,
  references,
  type Template,
  type TemplateReference,
  type TemplateScope,
} from '../../../language/template/runtime';

const MARK = '\u0001not recorded: ';

/** A part of an answer that history omits. */
export interface Omission {
  /** The task run whose answer it is. */
  readonly call: string;
  readonly part: string;
}

/** The outcome, with a mark in place of each part that history omits. */
export function withMarks({ kind, lean, task_run_id: id }: TaskCall, outcome: Outcome): Outcome {
  const { result, http, meta } = outcome;
  if (lean || meta['not_recorded'] !== true) return outcome;
  const mark = (part: string): string => `${MARK}${id} ${part}`;
  const marks = (parts: readonly string[]) => Object.fromEntries(parts.map((part) => [part, mark(part)]));
  const details = declarationOf(kind)?.details ?? [];
  const isPart = isMapping(result) && details.length > 0;
  return {
    ...outcome,
    result: isPart ? { ...result, ...marks(details) } : result,
    meta: { ...marks(NOTED), ...meta },
    ...(http && isPart && { http: { ...http, headers: mark('headers') as never } }),
  };
}

/** The first omitted part in a value. */
export function omissionIn(value: unknown): Omission | undefined {
  const plain = plainValue(value);
  const texts =
    typeof plain === 'string' ? [plain] : [...objectsIn(plain)].flatMap((one) => Object.values(one));
  const mark = texts.find((text) => typeof text === 'string' && text.includes(MARK)) as string | undefined;
  const [call = '', part = ''] = mark?.slice(mark.indexOf(MARK) + MARK.length).split(' ') ?? [];
  return mark === undefined ? undefined : { call, part };
}

const read = new WeakMap<Template, readonly TemplateReference[]>();

/** The first omitted part that a template reads; what it reads of an answer as a whole includes all parts. */
export function omissionRead(template: Template, scope: TemplateScope): Omission | undefined {
  let names = read.get(template);
  if (!names) read.set(template, (names = references(template)));
  for (const { root, path, kind } of names) {
    if (kind !== 'name' && kind !== 'call') continue;
    let value = scope.lookup(root);
    // Of a part that was omitted, its members were too.
    for (const key of path) if (typeof value !== 'string') value = lookup(value, key);
    const omission = omissionIn(value);
    if (omission) return omission;
  }
  return undefined;
}
