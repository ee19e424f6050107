/** Compiles limits by key, and checks their constants. */
import {
  compact,
  type ConcurrencyPlan,
  type DebouncePlan,
  ENGINE_KINDS,
  MAX_RATE,
  ON_CONFLICT,
  type Plan,
  type PriorityPlan,
  type RateLimitPlan,
  secondsOf,
  type TaskSpec,
  type PlanValue,
} from '../../plan';
import { type TemplatePlace } from '../check/place';
import { type Report } from '../diagnostics/diagnostic';
import { references } from '../../template';
import { type TaskDoc } from '../document/document';
import { asMap, asText, entry, itemsOf, type MapNode, type YamlNode, presentValue } from '../yaml/node';
import { type Compilation } from './compilation';
import { type Values } from './values';

const AT_START: TemplatePlace = { kind: 'start', part: 'the key of a limit' };
const LOWEST_PRIORITY = 5;

/** `executor.spec.concurrency` and `executor.spec.debounce`. */
export function compileExecutionLimits({
  document,
  values,
  report,
}: Compilation): Pick<Plan, 'concurrency' | 'debounce'> {
  const given = (key: string): MapNode | undefined => asMap(presentValue(document.executorSpec, key));
  const concurrency = given('concurrency');
  const debounce = given('debounce');
  for (const map of [concurrency, debounce])
    if (map) checkKnown(nodesOf(map), 'limits are passed', { document, values, report });
  return {
    ...(concurrency && { concurrency: compileConcurrency(concurrency, values, report) }),
    ...(debounce && { debounce: compileDebounce(debounce, values, report) }),
  };
}

/** Names that exist everywhere, but have no value before the first step. */
const LATER = ['ctx', 'vars', 'keychain'];

function nodesOf({ entries }: MapNode): YamlNode[] {
  return entries.map(({ value }) => value);
}

/** @param what is done with the values before the first step */
export function checkKnown(
  nodes: readonly YamlNode[],
  what: string,
  { document: { steps, workload }, values, report }: Pick<Compilation, 'document' | 'values' | 'report'>,
): void {
  const inputs = new Set(workload?.entries.map(({ key }) => key));
  const later = new Set([...LATER, ...steps.map(({ name }) => name).filter((name) => !inputs.has(name))]);
  for (const node of nodes) {
    const template = node.kind === 'scalar' ? values.tryParse(node) : null;
    const reference =
      template && references(template).find(({ kind, root }) => kind === 'name' && later.has(root));
    if (reference)
      report.add(
        'NT3014',
        node,
        `\`${reference.root}\` has no value yet: ${what} before the first step`,
        'use the inputs of the execution: `{{ workload.… }}`',
      );
  }
}

function compileConcurrency(map: MapNode, values: Values, report: Report): ConcurrencyPlan {
  const onConflict = asText(presentValue(map, 'on_conflict'));
  return {
    ...sharedBy(map, values, report),
    limit: valueIn(map, 'limit', AT_START, values) ?? { const: 1 },
    onConflict: ON_CONFLICT.find((one) => one === onConflict) ?? 'queue',
    at: values.at(map),
  };
}

function compileDebounce(map: MapNode, values: Values, report: Report): DebouncePlan {
  const maxWait = valueIn(map, 'max_wait', AT_START, values);
  const period = positive(map, 'period', report);
  const longest = positive(map, 'max_wait', report);
  if (period !== undefined && longest !== undefined && longest < period)
    report.add(
      'NT2096',
      presentValue(map, 'max_wait') ?? map,
      `\`max_wait\` is shorter than \`period\``,
      'an execution waits for `period` at least: write a longer `max_wait`, or leave it out',
    );
  return {
    ...sharedBy(map, values, report),
    period: valueIn(map, 'period', AT_START, values) ?? { const: 1 },
    ...(maxWait && { maxWait }),
    at: values.at(map),
  };
}

function sharedBy(map: MapNode, values: Values, report: Report): Pick<ConcurrencyPlan, 'key' | 'scope'> {
  const key = keyIn(map, AT_START, values, report);
  const scope = asText(presentValue(map, 'scope'));
  return { ...(key && { key }), ...compact({ scope }) };
}

/** The limits of a task, from its merged spec. */
export function compileTaskLimits(
  { kind, spec }: TaskDoc,
  merged: MapNode | undefined,
  place: TemplatePlace,
  { values, report }: Pick<Compilation, 'values' | 'report'>,
): Pick<TaskSpec, 'rateLimit' | 'priority'> {
  const isInside = ENGINE_KINDS.has(kind);
  const own = spec && entry(spec, 'rate_limit');
  if (isInside && own)
    report.add(
      'NT2097',
      own.at,
      `\`rate_limit\` has no effect on a task of kind \`${kind}\`, which no worker runs`,
      'write it on a task that calls something, or use `loop.spec.max_in_flight`',
    );
  const rate = isInside ? undefined : asMap(presentValue(merged, 'rate_limit'));
  const applies = rate && appliesTo(presentValue(rate, 'kind'), kind);
  const priority = compilePriority(merged, place, values, report);
  return {
    ...(applies && { rateLimit: compileRate(rate, place, values, report) }),
    ...(priority && { priority }),
  };
}

function appliesTo(node: YamlNode | undefined, kind: string): boolean {
  return node === undefined || [node, ...itemsOf(node)].some((one) => asText(one) === kind);
}

function compileRate(map: MapNode, place: TemplatePlace, values: Values, report: Report): RateLimitPlan {
  const [limit, burst] = [countIn(map, 'limit'), countIn(map, 'burst')];
  positive(map, 'per', report);
  if (limit !== undefined && limit > MAX_RATE)
    report.add(
      'NT2096',
      presentValue(map, 'limit') ?? map,
      `\`limit\` is at most ${MAX_RATE}`,
      'write a shorter period: 600000 per 1h is 10000 per 1m',
    );
  if (limit !== undefined && burst !== undefined && burst > limit)
    report.add(
      'NT2096',
      presentValue(map, 'burst') ?? map,
      `\`burst\` is larger than \`limit\``,
      `no more than ${limit} may start in a period: leave \`burst\` out, or write a smaller number`,
    );
  const bursts = valueIn(map, 'burst', place, values);
  return {
    key: keyIn(map, place, values, report) ?? { const: '' },
    limit: valueIn(map, 'limit', place, values) ?? { const: 1 },
    per: valueIn(map, 'per', place, values) ?? { const: 1 },
    ...(bursts && { burst: bursts }),
    at: values.at(map),
  };
}

function compilePriority(
  merged: MapNode | undefined,
  place: TemplatePlace,
  values: Values,
  report: Report,
): PriorityPlan | undefined {
  const node = presentValue(merged, 'priority');
  const map = asMap(presentValue(merged, 'fairness'));
  const at = map ?? node;
  if (at === undefined) return undefined;
  if (node?.kind === 'scalar' && Number(node.value) > LOWEST_PRIORITY)
    report.add('NT2096', node, `\`priority\` is from 1 to ${LOWEST_PRIORITY}`, '1 is first, 5 is last');
  const priority = valueIn(merged, 'priority', place, values);
  return {
    ...(priority && { priority }),
    ...(map && { fairness: compileFairness(map, place, values, report) }),
    at: values.at(at),
  };
}

function compileFairness(
  map: MapNode,
  place: TemplatePlace,
  values: Values,
  report: Report,
): NonNullable<PriorityPlan['fairness']> {
  const node = presentValue(map, 'weight');
  const number = node?.kind === 'scalar' ? Number(node.value) : 1;
  if (node && (number < 0.001 || number > 1000))
    report.add('NT2096', node, '`weight` is from 0.001 to 1000', 'the weight of other keys is 1');
  const weight = valueIn(map, 'weight', place, values);
  return { key: keyIn(map, place, values, report) ?? { const: '' }, ...(weight && { weight }) };
}

function valueIn(
  map: MapNode | undefined,
  key: string,
  place: TemplatePlace,
  values: Values,
): PlanValue | undefined {
  const node = presentValue(map, key);
  return node?.kind === 'scalar' ? values.value(node, place) : undefined;
}

function keyIn(map: MapNode, place: TemplatePlace, values: Values, report: Report): PlanValue | undefined {
  const node = presentValue(map, 'key');
  if (node?.kind === 'scalar' && String(node.value).trim() === '')
    report.add('NT2096', node, '`key` is empty', 'name what is limited, or leave `key` out');
  return valueIn(map, 'key', place, values);
}

function countIn(map: MapNode, key: string): number | undefined {
  const node = presentValue(map, key);
  const number = node?.kind === 'scalar' ? Number(node.value) : NaN;
  return Number.isInteger(number) && number >= 1 ? number : undefined;
}

/** Seconds of a constant; reports one that is 0. */
function positive(map: MapNode, key: string, report: Report): number | undefined {
  const node = presentValue(map, key);
  const seconds = node?.kind === 'scalar' ? secondsOf(node.value) : undefined;
  if (node !== undefined && seconds === 0)
    report.add('NT2096', node, `\`${key}\` is 0`, 'write a duration such as `30s` or `5m`');
  return seconds;
}
