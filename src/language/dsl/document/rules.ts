import { compact, type BackoffKind } from '../../plan';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { actionsUnderThen } from '../fixes/removed';
import { elseApart, elseThen } from '../fixes/structure';
import { word } from '../fixes/words';
import { head } from '../schema/check';
import { writesOf } from '../vocabulary/writes';
import {
  asList,
  asMap,
  asText,
  child,
  type MapEntry,
  entry,
  isNull,
  type ListNode,
  type MapNode,
  mapsIn,
  type YamlNode,
  presentValue,
  without,
} from '../yaml/node';
import { type AdmitDoc, type Directive, type RuleDoc } from './document';

/** Conditions that the shapes of rules refuse. */
const REFUSED = ['expr', 'rhai', 'when_rhai'];
const RETRY_FIELDS = ['attempts', 'backoff', 'delay', 'max_delay'];

/** The rules of a task, in every accepted form (docs/design/language.md#accepted-spellings). */
export function readRules(list: ListNode, report: Report): RuleDoc[] {
  const rules = clausesIn(list, report).flatMap((item) => readRule(item, report));
  reportOrder(rules, report);
  return rules;
}

const ELSE: ReadonlySet<string> = new Set(['else']);

/**
 * The rules of a list. The `else` of a rule with `when` and `then` is its complement, so what follows is never asked: it
 * becomes a rule of its own, behind this one. Where all rules that match act, only a single rule has a complement.
 */
export function clausesIn(list: ListNode, report: Report, isInclusive = false): MapNode[] {
  return mapsIn(list).flatMap((item): MapNode[] => {
    const otherwise = entry(item, 'else');
    const isWhole = ['when', 'then'].every((key) => presentValue(item, key) !== undefined);
    if (otherwise === undefined || !isWhole || (isInclusive && list.items.length > 1)) return [item];
    const hint = 'write it as a rule of its own, behind this one: `- else: {then: …}`';
    report.add('NT5006', otherwise.at, 'this `else` is in a rule with `when`', { hint, ...elseApart });
    return [without(item, ELSE), { ...item, entries: [otherwise] }];
  });
}

function readRule(item: MapNode, report: Report): RuleDoc[] {
  const clause = readClause(item, report);
  if (clause === undefined) return [];
  const then = merge(clause.then);
  const action = asText(child(then, 'do'));
  if (then.entries.length === 0) {
    report.add(
      'NT2033',
      clause.at,
      'this rule does nothing',
      'write `then: {do: continue}`, or another action',
    );
  }
  const directive = (action ?? 'continue') as Directive;
  checkActionFields(then, directive, report);
  const to = child(then, 'to');
  if (directive === 'jump' && asText(to) === undefined) {
    report.add(
      'NT2034',
      entry(then, 'do')?.at ?? clause.at,
      '`do: jump` needs `to`: the name of a task of this step',
    );
  }
  const backoff = backoffOf(child(then, 'backoff'), report);
  return [
    {
      at: clause.at,
      ...compact({ when: clause.when }),
      do: directive,
      ...optional('attempts', presentValue(then, 'attempts')),
      ...compact({ backoff }),
      ...optional('delay', presentValue(then, 'delay')),
      ...optional('maxDelay', presentValue(then, 'max_delay')),
      ...(directive === 'fail' ? optional('message', presentValue(then, 'message')) : {}),
      ...(directive === 'jump' && to !== undefined && asText(to) !== undefined
        ? { to: { name: asText(to)!, at: to } }
        : {}),
      writes: writesOf(then, report),
    },
  ];
}

function backoffOf(node: YamlNode | undefined, report: Report): BackoffKind | undefined {
  if (node === undefined || asText(node) !== 'fixed') return asText(node) as BackoffKind | undefined;
  report.older(node, word('fixed', 'none'));
  return 'none';
}

function optional<K extends string>(key: K, node: YamlNode | undefined): Partial<Record<K, YamlNode>> {
  return node === undefined ? {} : ({ [key]: node } as Partial<Record<K, YamlNode>>);
}

/** A rule before its actions are parsed: `when` or `else`, and `then`. */
export interface Clause {
  readonly at: Located;
  readonly when?: YamlNode & { kind: 'scalar' };
  readonly then: YamlNode | undefined;
}

/**
 * Splits a rule into its condition and its actions; undefined (with a diagnostic) in any other form.
 *
 * @param example for hints, contents of `then`
 */
export function readClause(item: MapNode, report: Report, example = '{do: …}'): Clause | undefined {
  const when = entry(item, 'when');
  const otherwise = entry(item, 'else');
  const then = entry(item, 'then');
  const at = (when ?? otherwise ?? then)?.at ?? head(item);
  if (when !== undefined && otherwise !== undefined) {
    report.add(
      'NT2033',
      otherwise.at,
      'a rule has `when` or `else`, not both',
      'write `- else: …` as a separate rule',
    );
    return undefined;
  }
  if (otherwise !== undefined) return { at, then: readElse(otherwise, then, report, example) };
  if (when === undefined) {
    if (REFUSED.some((key) => entry(item, key) !== undefined)) return undefined;
    const hint = 'write `- when: "{{ … }}"` with `then`, or `- else: {then: …}`';
    report.add('NT2033', at, 'this rule has neither `when` nor `else`', hint);
    return undefined;
  }
  if (isNull(when.value)) {
    report.add(
      'NT2005',
      when.at,
      'a rule needs a condition after `when`',
      'the rule that always matches is `- else: {then: …}`',
    );
    return undefined;
  }
  if (then === undefined) {
    const hint = `write \`then: ${example}\` beside \`when\``;
    report.add('NT2033', when.at, 'this rule has no `then`', { hint, ...actionsUnderThen });
    return undefined;
  }
  return { at, then: then.value, ...(when.value.kind === 'scalar' ? { when: when.value } : {}) };
}

function readElse(
  otherwise: MapEntry,
  then: MapEntry | undefined,
  report: Report,
  example: string,
): YamlNode | undefined {
  const inside = asMap(otherwise.value);
  if (inside !== undefined && entry(inside, 'then') !== undefined) {
    if (then !== undefined)
      report.add('NT2033', then.at, 'this rule has two `then`', 'keep the one inside `else`');
    return child(inside, 'then');
  }
  const hint = { hint: `write \`- else: {then: ${example}}\``, ...elseThen };
  if (isNull(otherwise.value)) {
    if (then !== undefined)
      report.add('NT5006', otherwise.at, '`then` is beside `else` instead of inside it', hint);
    return then?.value;
  }
  report.add('NT5006', otherwise.at, 'the actions are directly under `else`', hint);
  return otherwise.value;
}

/** `then` is a mapping, or a list of mappings with one action each. */
function merge(then: YamlNode | undefined): MapNode {
  if (then?.kind === 'map') return then;
  const maps = (asList(then)?.items ?? []).flatMap((item) => (item.kind === 'map' ? [item] : []));
  const entries = maps.flatMap((map) => map.entries);
  const at = then ?? { start: 0, end: 0, path: '' };
  return { kind: 'map', entries, start: at.start, end: at.end, path: at.path };
}

function checkActionFields(then: MapNode, directive: Directive, report: Report): void {
  for (const { key, at } of then.entries) {
    if (RETRY_FIELDS.includes(key) && directive !== 'retry') {
      report.add(
        'NT2035',
        at,
        `\`${key}\` has no effect with \`do: ${directive}\``,
        'it belongs to `do: retry`',
      );
    }
    const owner = key === 'to' ? 'jump' : key === 'message' ? 'fail' : directive;
    if (owner !== directive) {
      const message = `\`${key}\` has no effect with \`do: ${directive}\``;
      report.add('NT2035', at, message, `it belongs to \`do: ${owner}\``);
    }
  }
}

/** Reports rules after one that always matches. */
export function reportOrder(
  rules: readonly { readonly at: Located; readonly when?: YamlNode & { kind: 'scalar' } }[],
  report: Report,
): void {
  const last = rules.findIndex((rule) => rule.when === undefined || isTrue(rule.when.value));
  if (last === -1) return;
  for (const rule of rules.slice(last + 1)) reportUnreached(rule.at, report);
}

/** Reports a rule after one that always matches. */
export function reportUnreached(at: Located, report: Report): void {
  const message = 'this rule is never reached: an earlier rule always matches';
  report.add('NT2036', at, message, 'move it before that rule');
}

/** Whether a condition is always true, without evaluation. */
export function isTrue(value: unknown): boolean {
  return (
    value === true ||
    (typeof value === 'string' && /^\s*(\{\{-?\s*[Tt]rue\s*-?\}\}|[Tt]rue|yes|on|1)\s*$/.test(value))
  );
}

/** Whether a condition is always false. */
export function isFalse(value: unknown): boolean {
  return (
    value === false ||
    (typeof value === 'string' && /^\s*(\{\{-?\s*([Ff]alse|[Nn]one)\s*-?\}\}|false|False|0)\s*$/.test(value))
  );
}

/** `admit.rules`. */
export function readAdmit(admit: MapNode, report: Report): AdmitDoc[] {
  const list = asList(child(admit, 'rules'));
  const rules = (list ? clausesIn(list, report) : []).flatMap((item): AdmitDoc[] => {
    const clause = readClause(item, report);
    if (clause === undefined) return [];
    const allow = child(asMap(clause.then), 'allow');
    if (allow?.kind !== 'scalar' || typeof allow.value !== 'boolean') {
      if (allow === undefined || isNull(allow)) {
        report.add(
          'NT2033',
          clause.at,
          'an admission rule decides',
          'write `then: {allow: true}` or `then: {allow: false}`',
        );
      }
      return [];
    }
    return [{ at: clause.at, allow: allow.value, ...compact({ when: clause.when }) }];
  });
  reportOrder(rules, report);
  return rules;
}
