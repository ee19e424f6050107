import { compact } from '../../plan';
import { parseTemplate } from '../../template';
import { type Expr } from '../../template/ir';
import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import {
  asList,
  asMap,
  asText,
  child,
  entriesOf,
  entry,
  isNull,
  type MapEntry,
  type YamlNode,
  without,
} from '../yaml/node';
import { type ArcWay, routerText, speaksOfArcs, waysTo } from './arcs';
import { isFlow, leads, entryLines } from './text';
import { type Change } from './words';

/** Targets chosen together, and their condition. */
interface Clause {
  readonly when?: MapEntry;
  readonly ways: readonly ArcWay[];
}

const CONDITIONAL = ['when', 'then', 'else'];
const WHEN: ReadonlySet<string> = new Set(['when']);
const OF_ARC: ReadonlySet<string> = new Set([
  'step',
  'args',
  'input',
  'with',
  'set',
  'set_ctx',
  'set_iter',
  'desc',
]);

/**
 * Converts `when`, `then` and `else` inside `next`, which are rejected, to guards of arcs: the first match wins.
 */
export const guardedArcs: Change = { what: '`next.when` → `next.arcs`', edits: asGuards };

function asGuards({ text, path }: FixSite): Edit[] | undefined {
  const router = path.find(({ map, entry: { key } }) => key === 'next' && entry(map, 'step') !== undefined);
  if (router === undefined || entry(router.map, 'case') !== undefined) return undefined;
  const { map: step, entry: next } = router;
  if (isFlow(text, step) || !leads(text, next.at.start)) return undefined;
  const clauses = clausesOf(next.value);
  const ways = clauses && waysOf(clauses);
  if (clauses === undefined || ways === undefined) return undefined;
  const several = clauses.some((clause) => clause.ways.length > 1);
  return [{ ...entryLines(text, next), text: routerText(text, next, ways, several) }];
}

/** The clauses in order; undefined without a condition, or with other keys besides conditions and targets. */
function clausesOf(next: YamlNode): Clause[] | undefined {
  const arcs = asList(child(asMap(next), 'arcs'));
  if (arcs !== undefined && asMap(next)!.entries.length > 1) return undefined;
  const items = arcs?.items ?? asList(next)?.items ?? [next];
  const refused = arcs === undefined ? CONDITIONAL : ['then', 'else'];
  if (!items.some((item) => asMap(item)?.entries.some(({ key }) => refused.includes(key)))) return undefined;
  const all: Clause[] = [];
  for (const item of items) {
    const clauses = clausesIn(item);
    if (clauses === undefined) return undefined;
    all.push(...clauses);
  }
  // Adjacent targets without a condition are one clause; nothing may follow it.
  const first = all.findIndex(({ when }) => when === undefined);
  if (first === -1) return all;
  const rest = all.slice(first);
  const plain = rest.every(({ when, ways }) => when === undefined && ways.length > 0);
  if (!plain || (rest.length > 1 && items.some((item) => entry(asMap(item), 'else') !== undefined)))
    return undefined;
  return [...all.slice(0, first), { ways: rest.flatMap(({ ways }) => ways) }];
}

function clausesIn(item: YamlNode): Clause[] | undefined {
  const map = asMap(item);
  if (map === undefined) return clauseOf(targetsOf(item, item.start));
  const [when, then, otherwise] = CONDITIONAL.map((key) => entry(map, key));
  if (entry(map, 'step') !== undefined) {
    if (then !== undefined || otherwise !== undefined) return undefined;
    return clauseOf(targetsOf(without(map, WHEN), map.entries[0]!.at.start, when), when);
  }
  if (map.entries.some(({ key }) => !CONDITIONAL.includes(key))) return undefined;
  if (when === undefined) {
    // `- else: …`, or `- else:` with `then` beside it.
    const only = otherwise === undefined || isNull(otherwise.value) ? then : otherwise;
    if (only === undefined || (then !== undefined && only !== then)) return undefined;
    return clauseOf(targetsOf(only.value, (otherwise ?? then)!.at.start));
  }
  if (then === undefined || when.value.kind !== 'scalar' || isNull(when.value)) return undefined;
  const chosen = targetsOf(then.value, Math.min(when.at.start, then.at.start), when);
  const others = otherwise && targetsOf(otherwise.value, otherwise.at.start);
  if (chosen === undefined || (otherwise !== undefined && others === undefined)) return undefined;
  return [{ when, ways: chosen }, ...(others === undefined ? [] : [{ ways: others }])];
}

function clauseOf(ways: ArcWay[] | undefined, when?: MapEntry): Clause[] | undefined {
  return ways && [{ ways, ...compact({ when }) }];
}

/** The targets of a `then` or `else`, which may contain another `then` or `next`. */
function targetsOf(node: YamlNode, start: number, when?: MapEntry): ArcWay[] | undefined {
  const [only, ...others] = entriesOf(node);
  return only !== undefined && others.length === 0 && ['then', 'next'].includes(only.key)
    ? targetsOf(only.value, start, when)
    : waysTo(node, OF_ARC, { start, ...compact({ when }) });
}

/**
 * The arcs of the clauses. If each clause has one target they are unchanged, because the first match wins. With
 * several targets all matching arcs are taken, so each guard must exclude the previous ones: possible only for
 * guards that are true or false.
 */
function waysOf(clauses: readonly Clause[]): ArcWay[] | undefined {
  if (!clauses.every(({ when }) => when === undefined || speaksOfArcs(when.value))) return undefined;
  const all = clauses.flatMap(({ ways }) => ways);
  if (clauses.every(({ ways }) => ways.length === 1) || clauses.length === 1) return all;
  const guards = clauses.map(({ when }) => (when === undefined ? undefined : truthOf(when.value)));
  if (clauses.some(({ when }, i) => when !== undefined && guards[i] === undefined)) return undefined;
  return clauses.flatMap(({ when, ways }, i): readonly ArcWay[] => {
    if (i === 0) return ways;
    const before = guards.slice(0, i).map((guard) => `not (${guard!})`);
    const all = when === undefined ? before : [...before, `(${guards[i]!})`];
    return ways.map((way) => ({ ...way, when: JSON.stringify(`{{ ${all.join(' and ')} }}`) }));
  });
}

/** The expression of a guard that is always true or false; undefined for others. */
function truthOf(node: YamlNode): string | undefined {
  const source = asText(node);
  if (source === undefined) return undefined;
  try {
    const template = parseTemplate(source);
    const inner = /^\s*\{\{-?([^\n]*?)-?\}\}\s*$/.exec(source)?.[1];
    return template.kind === 'expression' && isTruth(template.expr) ? inner?.trim() : undefined;
  } catch {
    return undefined;
  }
}

function isTruth(expr: Expr): boolean {
  switch (expr.op) {
    case 'cmp':
    case 'test':
    case 'not':
      return true;
    case 'lit':
      return typeof expr.v === 'boolean';
    case 'and':
    case 'or':
      return isTruth(expr.l) && isTruth(expr.r);
    default:
      return false;
  }
}
