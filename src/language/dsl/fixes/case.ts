import { compact } from '../../plan';
import { ruleMomentOf } from '../document/moments';
import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import {
  asMap,
  asText,
  child,
  entriesOf,
  entry,
  isNull,
  type MapEntry,
  type MapNode,
  mapsIn,
  mapUnder,
  type YamlNode,
} from '../yaml/node';
import { type ArcWay, routerText, speaksOfArcs, waysTo } from './arcs';
import { isFlow, leads, entryLines, removal } from './text';

/** Converts a `case` whose rules only route to a router: each rule becomes an arc with the same condition. */
export const caseRouting: Remedy = {
  what: '`case` → `next.arcs`',
  hint: 'route with `next.arcs`, handle outcomes with `tool.spec.policy.rules`, and store with a further task',
  edits: asRouter,
  reshapes: true,
};

function asRouter({ text, path: [here] }: FixSite): Edit[] | undefined {
  if (here === undefined) return undefined;
  const { map: step, entry: rules } = here;
  const next = entry(step, 'next');
  if (isFlow(text, step) || !leads(text, rules.at.start) || !choosesOnce(step, rules)) return undefined;
  const ways = waysOf(rules.value, entry(step, 'loop') !== undefined);
  const after =
    next === undefined || isNull(next.value) ? [] : waysTo(next.value, CARRIED, { start: next.at.start });
  if (ways === undefined || after === undefined || after.length > 1) return undefined;
  const all = ways.flat();
  const several = ways.length === 1 && all.length > 1;
  const router = routerText(text, rules, [...all, ...after], several);
  const rest = next === undefined ? [] : (removal(text, step, next) ?? []);
  return [{ ...entryLines(text, rules), text: router }, ...rest];
}

/** Whether the rules could be the guards of a router, which the step does not have. */
function choosesOnce(step: MapNode, rules: MapEntry): boolean {
  const isAll = asText(child(mapUnder(step, 'spec'), 'case_mode')) === 'inclusive';
  return !isAll && child(step, 'next')?.kind !== 'map' && speaksOfArcs(rules.value);
}

/**
 * The transitions of all rules; undefined if a rule does more than route, or routes in a way that routers cannot.
 */
function waysOf(node: YamlNode, loop: boolean): ArcWay[][] | undefined {
  const rules = mapsIn(node);
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
  if ((when === undefined) === (entry(rule, 'else') === undefined)) return undefined;
  if (rule.entries.some(({ key }) => !['when', 'then', 'else'].includes(key))) return undefined;
  // In a loop these rules are evaluated once per iteration, and their targets wait for its end.
  const condition = when?.value.kind === 'scalar' ? String(when.value.value) : '';
  if (loop && !/step\.exit|loop\.done/.test(condition)) return undefined;
  const then = child(otherwise ?? rule, 'then');
  const actions = then?.kind === 'map' ? then.entries : mapsIn(then).flatMap((each) => each.entries);
  let next: MapEntry | undefined;
  let set: MapEntry | undefined;
  for (const action of actions) {
    if (action.key === 'next' && next === undefined) next = action;
    else if (action.key === 'set' && set === undefined && action.value.kind === 'map') set = action;
    else if (action.key !== 'result' || !isIdentity(action.value)) return undefined;
  }
  if (next === undefined) return undefined;
  if (entriesOf(set?.value).some(({ key }) => NO_VARIABLE.test(key))) return undefined;
  const way = { start: (when ?? entry(rule, 'else')!).at.start, ...compact({ when }) };
  if (set === undefined) return waysTo(next.value, CARRIED, way);
  const target = next.value.kind === 'list' ? next.value.items : [next.value];
  const isPlain = target.length === 1 && entriesOf(target[0]).length <= 1;
  return isPlain ? waysTo(next.value, CARRIED, way, [{ entry: set, prefix: 'ctx.' }]) : undefined;
}

/** `result: {from: response}` is the default. */
function isIdentity(node: YamlNode): boolean {
  return node.kind === 'map' && node.entries.length === 1 && asText(child(node, 'from')) === 'response';
}

const CARRIED: ReadonlySet<string> = new Set(['step', 'args', 'input', 'with']);
const NO_VARIABLE = /^(ctx|vars|iter|step|workload|keychain|event|outcome|output|token)$|[.{]/;
