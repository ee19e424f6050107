import { hasTemplateSyntax, parseTemplate, references } from '../../../template';
import { ROOTS, ROOTS_AT } from '../../../plan';
import { ruleMomentOf } from '../../document/moments';
import {
  asMap,
  asText,
  child,
  entry,
  type MapEntry,
  isNull,
  type MapNode,
  type YamlNode,
} from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import { isFlow, leads, entryLines, removal } from '../text';
import { mapsOf, writtenSteps, under } from '../walk';
import { routerText, type ArcWay } from './arcs';

/** Converts a `case` whose rules only route to a router: each rule becomes an arc with the same condition. */
export function caseRouting(source: RewriteSource): Rewrite[] {
  return writtenSteps(source.root).flatMap((step): Rewrite[] => {
    const rules = entry(step, 'case');
    if (rules === undefined || isFlow(source.text, step) || !leads(source.text, rules.at.start)) return [];
    if (
      under(step, 'next') !== undefined ||
      asText(child(under(step, 'spec'), 'case_mode')) === 'inclusive'
    ) {
      return [];
    }
    if (!speaksOfArcs(rules.value)) return [];
    const ways = waysOf(rules.value, entry(step, 'loop') !== undefined);
    const next = entry(step, 'next');
    const after =
      next === undefined || isNull(next.value) ? [] : targets(next.value, undefined, next.at.start);
    if (ways === undefined || after === undefined || after.length > 1) return [];
    const all = ways.flat();
    const several = ways.length === 1 && all.length > 1;
    const edits = [
      {
        ...entryLines(source.text, rules),
        text: routerText(source.text, rules, [...all, ...after], several),
      },
      ...(next === undefined ? [] : (removal(source.text, step, next) ?? [])),
    ];
    return [{ what: '`case` → `next.arcs`', at: rules.at, edits }];
  });
}

/** Whether every name in the templates is available in arcs too: `result` is only available in `case`. */
export function speaksOfArcs(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.every(speaksOfArcs);
  if (node.kind === 'map') return node.entries.every(({ value }) => speaksOfArcs(value));
  if (typeof node.value !== 'string' || !hasTemplateSyntax(node.value)) return true;
  try {
    const roots = references(parseTemplate(node.value)).filter(({ kind }) => kind === 'name');
    return roots.every(({ root }) => ROOTS_AT.arc.has(root) || !ROOTS.has(root));
  } catch {
    return false;
  }
}

/**
 * The transitions of all rules; undefined if a rule does more than route, or routes in a way that routers cannot.
 */
function waysOf(node: YamlNode, loop: boolean): ArcWay[][] | undefined {
  const rules = mapsOf(node);
  if (!asksInOrder(rules)) return undefined;
  const branches: ArcWay[][] = [];
  for (const rule of rules) {
    const ways = waysOfRule(rule, loop);
    // A router is exclusive or inclusive as a whole; one rule with several targets is inclusive.
    if (ways === undefined || (ways.length > 1 && rules.length > 1)) return undefined;
    branches.push(ways);
  }
  return branches.length === 0 ? undefined : branches;
}

/**
 * Whether arcs, evaluated once in order, choose like the rules: rules that can match at the end of the call are
 * evaluated before those that match only at the end of the step, wherever they are.
 */
function asksInOrder(rules: readonly MapNode[]): boolean {
  const waits = rules
    .map((rule) => child(rule, 'when'))
    .filter((when) => when?.kind === 'scalar')
    .map((when) => ruleMomentOf(when, [], false) === 'exit');
  return waits.every((wait, position) => wait || !waits.slice(0, position).includes(true));
}

function waysOfRule(rule: MapNode, loop: boolean): ArcWay[] | undefined {
  const otherwise = asMap(child(rule, 'else'));
  const when = entry(rule, 'when');
  if (when !== undefined && when.value.kind !== 'scalar') return undefined;
  if (when === undefined && otherwise === undefined) return undefined;
  if (rule.entries.some(({ key }) => !['when', 'then', 'else'].includes(key))) return undefined;
  // In a loop these rules are evaluated once per iteration, and their targets wait for its end.
  const condition = when?.value.kind === 'scalar' ? String(when.value.value) : '';
  if (loop && !/step\.exit|loop\.done/.test(condition)) return undefined;
  const then = child(otherwise ?? rule, 'then');
  const actions = then?.kind === 'map' ? then.entries : mapsOf(then).flatMap((each) => each.entries);
  let next: MapEntry | undefined;
  let set: MapEntry | undefined;
  for (const action of actions) {
    if (action.key === 'next' && next === undefined) next = action;
    else if (action.key === 'set' && set === undefined && action.value.kind === 'map') set = action;
    else if (action.key !== 'result' || !isIdentity(action.value)) return undefined;
  }
  if (next === undefined) return undefined;
  return targets(next.value, when, (when ?? entry(rule, 'else')!).at.start, set);
}

/** `result: {from: response}` is the default. */
function isIdentity(node: YamlNode): boolean {
  return node.kind === 'map' && node.entries.length === 1 && asText(child(node, 'from')) === 'response';
}

const CARRIED = new Set(['step', 'args', 'input', 'with']);
const NO_VARIABLE = /^(ctx|vars|iter|step|workload|keychain|event|outcome|output|token)$|[.{]/;

function targets(
  node: YamlNode,
  when: MapEntry | undefined,
  start: number,
  set?: MapEntry,
): ArcWay[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length === 0 || (set !== undefined && items.length > 1)) return undefined;
  const written = set === undefined ? [] : [{ entry: set, prefix: 'ctx.' }];
  if (asMap(set?.value)?.entries.some(({ key }) => NO_VARIABLE.test(key))) return undefined;
  const ways: ArcWay[] = [];
  for (const item of items) {
    const condition = when === undefined ? {} : { when };
    const name = asText(item);
    const own = asMap(item)?.entries ?? [];
    if (name !== undefined && name.trim() !== '') ways.push({ start, ...condition, parts: written, name });
    else if (own.length > 0 && asText(child(asMap(item), 'step')) !== undefined) {
      if (!own.every(({ key }) => CARRIED.has(key)) || (set !== undefined && own.length > 1))
        return undefined;
      const parts = [...own].sort((a, b) => Number(b.key === 'step') - Number(a.key === 'step'));
      ways.push({
        start,
        ...condition,
        parts: [...parts.map((each) => ({ entry: each, prefix: '' })), ...written],
      });
    } else return undefined;
  }
  return ways;
}
