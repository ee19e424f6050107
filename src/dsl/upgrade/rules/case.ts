import { hasTemplateSyntax, parseTemplate, references } from '../../../template';
import { ROOTS, ROOTS_AT } from '../../../plan';
import { momentOf } from '../../document/moments';
import { asMap, asText, child, entry, type Entry, isNull, type MapNode, type Node } from '../../yaml/node';
import { type Rewrite, type Source } from '../rewrite';
import {
  applyEdits,
  columnOf,
  contentEnd,
  isFlow,
  leads,
  lineStart,
  linesOf,
  newline,
  prefixedKey,
  removal,
  shift,
} from '../text';
import { mapsOf, stepsOf, under } from '../walk';

/** One way on: the condition of its rule, and where it leads. */
interface Way {
  /** Where the remarks above it end. */
  readonly start: number;
  readonly when?: Entry;
  /** Entries of the arc; `step` first. */
  readonly parts: readonly { readonly entry: Entry; readonly prefix: string }[];
  /** A target that is a bare name. */
  readonly name?: string;
}

/** A `case` whose rules only route becomes a router: each rule an arc with the same condition. */
export function caseRouting(source: Source): Rewrite[] {
  return stepsOf(source.root).flatMap((step): Rewrite[] => {
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
    const edits = [
      { ...linesOf(source.text, rules), text: written(source, rules, ways, after) },
      ...(next === undefined ? [] : (removal(source.text, step, next) ?? [])),
    ];
    return [{ what: '`case` → `next.arcs`', at: rules.at, edits }];
  });
}

/** Whether every name in the templates has a value at arcs as well: `result` has one in `case` only (D10). */
function speaksOfArcs(node: Node): boolean {
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

/** The ways of all rules; undefined where a rule does more than route, or routes as no router does. */
function waysOf(node: Node, loop: boolean): Way[][] | undefined {
  const rules = mapsOf(node);
  if (!asksInOrder(rules)) return undefined;
  const found: Way[][] = [];
  for (const rule of rules) {
    const ways = waysOfRule(rule, loop);
    // A router is exclusive or inclusive as a whole; one rule with several targets is inclusive.
    if (ways === undefined || (ways.length > 1 && rules.length > 1)) return undefined;
    found.push(ways);
  }
  return found.length === 0 ? undefined : found;
}

/**
 * Whether arcs, asked once and in their order, choose as the rules do: those that the end of the call can match are
 * asked before those that only the end of the step does, wherever they stand (D15).
 */
function asksInOrder(rules: readonly MapNode[]): boolean {
  const waits = rules
    .map((rule) => child(rule, 'when'))
    .filter((when) => when?.kind === 'scalar')
    .map((when) => momentOf(when, [], false) === 'exit');
  return waits.every((wait, position) => wait || !waits.slice(0, position).includes(true));
}

function waysOfRule(rule: MapNode, loop: boolean): Way[] | undefined {
  const otherwise = asMap(child(rule, 'else'));
  const when = entry(rule, 'when');
  if (when !== undefined && when.value.kind !== 'scalar') return undefined;
  if (when === undefined && otherwise === undefined) return undefined;
  if (rule.entries.some(({ key }) => !['when', 'then', 'else'].includes(key))) return undefined;
  // In a loop these rules run once an iteration, and routing ends the loop early (D18).
  const condition = when?.value.kind === 'scalar' ? String(when.value.value) : '';
  if (loop && !/step\.exit|loop\.done/.test(condition)) return undefined;
  const then = child(otherwise ?? rule, 'then');
  const actions = then?.kind === 'map' ? then.entries : mapsOf(then).flatMap((each) => each.entries);
  let next: Entry | undefined;
  let set: Entry | undefined;
  for (const action of actions) {
    if (action.key === 'next' && next === undefined) next = action;
    else if (action.key === 'set' && set === undefined && action.value.kind === 'map') set = action;
    else if (action.key !== 'result' || !isIdentity(action.value)) return undefined;
  }
  if (next === undefined) return undefined;
  return targets(next.value, when, (when ?? entry(rule, 'else')!).at.start, set);
}

/** `result: {from: response}`: what the result of the step is anyway. */
function isIdentity(node: Node): boolean {
  return node.kind === 'map' && node.entries.length === 1 && asText(child(node, 'from')) === 'response';
}

const CARRIED = new Set(['step', 'args', 'input', 'with']);
const NO_VARIABLE = /^(ctx|vars|iter|step|workload|keychain|event|outcome|output|token)$|[.{]/;

function targets(node: Node, when: Entry | undefined, start: number, set?: Entry): Way[] | undefined {
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length === 0 || (set !== undefined && items.length > 1)) return undefined;
  const written = set === undefined ? [] : [{ entry: set, prefix: 'ctx.' }];
  if (asMap(set?.value)?.entries.some(({ key }) => NO_VARIABLE.test(key))) return undefined;
  const found: Way[] = [];
  for (const item of items) {
    const condition = when === undefined ? {} : { when };
    const name = asText(item);
    const own = asMap(item)?.entries ?? [];
    if (name !== undefined && name.trim() !== '') found.push({ start, ...condition, parts: written, name });
    else if (own.length > 0 && asText(child(asMap(item), 'step')) !== undefined) {
      if (!own.every(({ key }) => CARRIED.has(key)) || (set !== undefined && own.length > 1))
        return undefined;
      const parts = [...own].sort((a, b) => Number(b.key === 'step') - Number(a.key === 'step'));
      found.push({
        start,
        ...condition,
        parts: [...parts.map((each) => ({ entry: each, prefix: '' })), ...written],
      });
    } else return undefined;
  }
  return found;
}

function written(
  source: Source,
  rules: Entry,
  ways: readonly (readonly Way[])[],
  after: readonly Way[],
): string {
  const { text } = source;
  const eol = newline(text);
  const indent = ' '.repeat(columnOf(text, rules.at.start));
  const all = ways.flat();
  const several = ways.length === 1 && all.length > 1;
  const end = contentEnd(text, rules);
  const remarks = remarksIn(text, rules, end);
  const lines = [`${indent}next:`];
  if (several) lines.push(`${indent}  spec:`, `${indent}    mode: inclusive`);
  lines.push(`${indent}  arcs:`);
  let from = rules.at.end;
  [...all, ...after].forEach((way, i) => {
    const first = way.start >= from;
    if (first && i > 0 && /\n[ \t\r]*\n/.test(text.slice(lineBefore(text, way.start), way.start)))
      lines.push('');
    const until = all[i + 1]?.start ?? end;
    if (first)
      for (const each of remarks)
        if (each.at >= from && each.at < until) lines.push(`${indent}    ${each.text}`);
    from = Math.max(from, Math.min(until, end));
    lines.push(
      ...arc(text, way, indent.length + 6).map((line, n) => `${indent}    ${n === 0 ? '- ' : '  '}${line}`),
    );
  });
  return lines.join(eol) + eol;
}

/** From the last character that is no white space, so that a blank line above a rule is seen. */
function lineBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return text.slice(0, start).trimEnd().length;
}

/** The lines of an arc, the first without its dash, all without their indentation. */
function arc(text: string, way: Way, column: number): string[] {
  const [first, ...rest] = way.parts;
  const head = way.name === undefined ? copied(text, first!, column) : [`step: ${way.name}`];
  const others = way.name === undefined ? rest : way.parts;
  const when = way.when === undefined ? [] : copied(text, { entry: way.when, prefix: '' }, column);
  return [...head, ...when, ...others.flatMap((part) => copied(text, part, column))];
}

/** The lines of an entry, moved to the column and then without that indentation. */
function copied(text: string, part: Way['parts'][number], column: number): string[] {
  const { start } = part.entry.at;
  const end = contentEnd(text, part.entry);
  const keys = (asMap(part.entry.value)?.entries ?? []).flatMap((each) =>
    prefixedKey(text, each, part.prefix),
  );
  const moved = shift(text, text.indexOf('\n', start) + 1 || end, end, column - columnOf(text, start));
  const edits = [...keys, ...moved].map((each) => ({
    ...each,
    start: each.start - start,
    end: each.end - start,
  }));
  const lines = applyEdits(text.slice(start, end), edits).split(/\r?\n/);
  return lines.map((line, i) => (i === 0 ? line : line.slice(Math.min(column, /^ */.exec(line)![0].length))));
}

/** The comments of a block, wherever they stand in it. */
function remarksIn(text: string, block: Entry, end: number): { at: number; text: string }[] {
  const scalars: Node[] = [];
  const visit = (node: Node): void => {
    if (node.kind === 'scalar') scalars.push(node);
    else
      for (const each of node.kind === 'map' ? node.entries.map(({ value }) => value) : node.items)
        visit(each);
  };
  visit(block.value);
  return [...text.slice(block.at.end, end).matchAll(/(?<=\s)#.*$/gm)].flatMap((match) => {
    const at = block.at.end + match.index;
    const inside = scalars.some((node) => node.start <= at && at < node.end);
    return inside ? [] : [{ at, text: match[0].trimEnd() }];
  });
}
