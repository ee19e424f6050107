import { type PlaceKind, ROOTS_AT, objectsIn } from '../../plan';
import { type TemplateReference } from '../../template';
import { type CompareOperator, type Expr, type Template } from '../../template/ir';
import { closest, oneOfText } from '../diagnostics/suggest';
import { type CheckFinding } from './finding';

/** What the status of a call and of an event is, at these places of a playbook. */
const STATUSES = ['ok', 'error'] as const;
const OF_A_CALL: ReadonlySet<string> = new Set(['output', 'outcome', 'this']);
/** `event` is the end of a call or a step here. */
const AFTER_END: ReadonlySet<PlaceKind> = new Set(['arc', 'guard', 'action', 'route', 'sink']);

const SUCCESS = /^(ok(ay)?|success(ful)?|succeeded|completed?|done|finished|pass(ed)?|true)$/i;
const FAILURE = /^(errors?|errored|fail(ed|ure)?|exception|timed?_?out|cancelled|false)$/i;
/** Filters that leave a status in lower case what it is. */
const KEEPING: ReadonlySet<string> = new Set(['lower', 'default', 'd', 'string', 'trim']);

interface Wrong extends CheckFinding {
  readonly offset: number;
  readonly length: number;
}

/** Comparisons of a status with texts that it never is: `output.status == 'success'`. @param reads of the template */
export function wrongStatuses(
  template: Template,
  reads: readonly TemplateReference[],
  place: PlaceKind,
): Wrong[] {
  // A name that the template itself binds is not among what it reads.
  const roots = new Set(reads.filter(({ path }) => path[0] === 'status').map(({ root }) => root));
  if (roots.size === 0) return [];
  const isStatus = (e: Expr): string | undefined => {
    if (e.op === 'filter' && e.o && KEEPING.has(e.n)) return isStatus(e.o);
    if (e.op !== 'get' || e.k !== 'status' || e.o.op !== 'name') return undefined;
    const { n } = e.o;
    const isOurs = roots.has(n) && ROOTS_AT[place].has(n);
    const isKnown = isOurs && (OF_A_CALL.has(n) || (n === 'event' && AFTER_END.has(place)));
    return isKnown ? `${n}.status` : undefined;
  };
  const wrong: Wrong[] = [];
  const quoted = quotedIn(template.source);
  const compared = (l: Expr, op: CompareOperator, r: Expr): void => {
    const name = isStatus(l) ?? (op === '==' || op === '!=' ? isStatus(r) : undefined);
    if (name === undefined) return;
    for (const word of wordsIn(isStatus(l) === undefined ? l : r)) {
      if (STATUSES.some((one) => one === word)) continue;
      wrong.push({ ...findingOf(name, op, word), ...(quoted(word) ?? { offset: 0, length: 0 }) });
    }
  };
  for (const part of objectsIn(template)) {
    if (part['op'] !== 'cmp') continue;
    const { l, c } = part as unknown as Extract<Expr, { op: 'cmp' }>;
    for (const [index, [op, r]] of c.entries()) compared(index === 0 ? l : c[index - 1]![1], op, r);
  }
  return wrong;
}

function findingOf(name: string, op: CompareOperator, word: string): CheckFinding {
  const right = SUCCESS.test(word) ? 'ok' : FAILURE.test(word) ? 'error' : closest(word, STATUSES);
  const always = op === '!=' || op === 'not in' ? 'always' : 'never';
  return {
    code: 'NT4013',
    message: `\`${name}\` is ${oneOfText(STATUSES)}, never \`${word}\`: the comparison is ${always} true`,
    hint: right === undefined ? `compare with ${oneOfText(STATUSES)}` : `write \`'${right}'\``,
  };
}

/** The literal texts that an operand is, or of which it is a list. */
function wordsIn(e: Expr): string[] {
  if (e.op === 'lit') return typeof e.v === 'string' ? [e.v] : [];
  return e.op === 'list' || e.op === 'tuple' ? e.e.flatMap(wordsIn) : [];
}

/** Where a text stands in quotes; each place is given once. */
function quotedIn(source: string): (word: string) => { offset: number; length: number } | undefined {
  const places = [...source.matchAll(/'([^'\\]*)'|"([^"\\]*)"/g)];
  return (word) => {
    const at = places.findIndex(([, single, double]) => (single ?? double) === word);
    const [place] = at < 0 ? [] : places.splice(at, 1);
    return place && { offset: place.index, length: place[0].length };
  };
}
