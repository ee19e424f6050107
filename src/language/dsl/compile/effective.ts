import {
  compact,
  type FailureMode,
  type PlanLimits,
  secondsOf,
  type TaskSpec,
  type TimeoutSpec,
  type PlanValue,
} from '../../plan';
import { withToolScope, type TemplatePlace } from '../check/place';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';
import { toolKind } from '../kinds';
import {
  asMap,
  asText,
  type MapEntry,
  type MapNode,
  mergeMaps,
  type YamlNode,
  presentValue,
  without,
} from '../yaml/node';
import { compileCache } from './cache';
import { type Compilation } from './compilation';
import { compileTaskLimits } from './limits';
import { compactMap, type Values } from './values';

/** Settings that a task never inherits, or that are not options of a tool. */
const OWN_OF_SCOPE = new Set([
  'policy',
  'mode',
  'max_in_flight',
  'lifecycle',
  'admit',
  'failure',
  'join',
  'entry_step',
  'final_step',
  'case_mode',
  'next_mode',
  'extensions',
  'concurrency',
  'debounce',
  'deadline',
]);
const READ_HERE = new Set([
  'policy',
  'exec',
  'timeout',
  'timeout_s',
  'timeout_seconds',
  'pool',
  'delivery',
  'cache',
  'rate_limit',
  'priority',
  'fairness',
]);

/** The effective spec of a task: kind defaults < executor < step < loop < task. */
export function compileSpec(
  task: TaskDoc,
  step: StepDoc,
  compilation: Pick<Compilation, 'document' | 'values' | 'report'>,
  loops: readonly LoopDoc[] = [],
): TaskSpec {
  const { document, values } = compilation;
  const place: TemplatePlace = { kind: 'task', step, task, loops };
  const outer = [step.loop, ...loops].map((loop) => loop?.spec);
  const inherited = [document.executorSpec, step.spec, ...outer].map(
    (spec) => spec && without(spec, OWN_OF_SCOPE),
  );
  const merged = [...inherited, task.spec && without(task.spec, new Set(['policy']))].reduce<
    MapNode | undefined
  >((base, over) => mergeMaps(base, over), undefined);
  const timeout = compileTimeout(merged, task.kind, document, place, values);
  const heartbeat = document.extensions.get(task.kind)?.heartbeat;
  const pool = asText(presentValue(merged, 'pool'));
  const pooling = asMap(presentValue(merged, 'pool'));
  const rest = merged?.entries.filter(
    (each) => !READ_HERE.has(each.key) || (each.key === 'pool' && pooling !== undefined),
  );
  const cache = compileCache(merged, { task, step, document }, withToolScope(place), values);
  return {
    ...compact({ timeout, pool, heartbeat }),
    delivery: asText(presentValue(merged, 'delivery')) === 'at_most_once' ? 'at_most_once' : 'at_least_once',
    ...compileTaskLimits(task, merged, place, compilation),
    options: compactMap([
      ...(rest ?? []).map((each) => [each.key, values.value(each.value, withToolScope(place))] as const),
      ...(cache === undefined ? [] : [['cache', cache] as const]),
    ]),
  };
}

function compileTimeout(
  merged: MapNode | undefined,
  kind: string,
  document: Document,
  place: TemplatePlace,
  values: Values,
): TimeoutSpec | undefined {
  const written =
    presentValue(merged, 'timeout') ??
    presentValue(merged, 'timeout_s') ??
    presentValue(merged, 'timeout_seconds');
  const layers = [written, defaultTimeout(document, kind)].map((node) => readTimeout(node, place, values));
  const fallback = Object.entries(toolKind(kind, document.extensions)?.spec?.timeout ?? {}).map(
    ([key, seconds]) => [key, { const: seconds }] as const,
  );
  const merge = Object.assign({}, Object.fromEntries(fallback), layers[1], layers[0]) as TimeoutSpec;
  return Object.keys(merge).length === 0 ? undefined : merge;
}

/** `timeout: 15` is the total; a mapping may set `connect`, `read` and `total`. */
function readTimeout(node: YamlNode | undefined, place: TemplatePlace, values: Values): TimeoutSpec {
  if (node === undefined || node.kind === 'list') return {};
  if (node.kind === 'scalar') return { total: values.value(node, place) };
  const parts: [string, PlanValue][] = ['connect', 'read', 'total'].flatMap((key) => {
    const part = presentValue(node, key);
    return part === undefined ? [] : [[key, values.value(part, place)]];
  });
  return Object.fromEntries(parts);
}

/** `executor.spec.policy.defaults.timeouts`: one for all, or by kind. */
function defaultTimeout(document: Document, kind: string): YamlNode | undefined {
  const timeouts = presentValue(asMap(presentValue(policyOf(document), 'defaults')), 'timeouts');
  if (timeouts?.kind !== 'map') return timeouts;
  if (['connect', 'read', 'total'].some((key) => presentValue(timeouts, key) !== undefined)) return timeouts;
  return presentValue(timeouts, kind) ?? presentValue(timeouts, 'default');
}

function policyOf(document: Document): MapNode | undefined {
  return asMap(presentValue(document.executorSpec, 'policy'));
}

const DEFAULT_LIMITS: PlanLimits = {
  maxStepRuns: 10_000,
  maxLiveTokens: 5000,
  maxTaskVisits: 100_000,
  maxPayloadBytes: 256 * 1024,
};

/** `executor.spec.policy.limits`. */
export function compileLimits(document: Document): PlanLimits {
  const limits = asMap(presentValue(policyOf(document), 'limits'));
  const read = (key: string, fallback: number): number => {
    const node = presentValue(limits, key);
    const number = node?.kind === 'scalar' ? Number(node.value) : NaN;
    return Number.isFinite(number) ? number : fallback;
  };
  return {
    maxStepRuns: read('max_step_runs', DEFAULT_LIMITS.maxStepRuns),
    maxLiveTokens: read('max_live_tokens', DEFAULT_LIMITS.maxLiveTokens),
    maxTaskVisits: read('max_task_visits', DEFAULT_LIMITS.maxTaskVisits),
    maxPayloadBytes: read('max_payload_bytes', DEFAULT_LIMITS.maxPayloadBytes),
  };
}

/** `executor.spec.policy.results.record: all`: history keeps whole results, whether read or not. */
export function recordsAll(document: Document): boolean {
  return asText(presentValue(asMap(presentValue(policyOf(document), 'results')), 'record')) === 'all';
}

/** `executor.spec.deadline`, in seconds. It is watched from outside the execution, so it is no template. */
export function compileDeadline({ executorSpec }: Document, report: Report): number | undefined {
  const node = presentValue(executorSpec, 'deadline');
  if (node?.kind !== 'scalar') return undefined;
  const seconds = secondsOf(node.value);
  if (seconds !== undefined && seconds > 0) return seconds;
  const isTemplate = typeof node.value === 'string' && node.value.includes('{{');
  if (isTemplate || seconds === 0)
    report.add(
      'NT2092',
      node,
      isTemplate
        ? 'the deadline is a template, and nothing evaluates it'
        : 'the deadline is over at the start',
      'write a duration: `deadline: 2h`',
    );
  return undefined;
}

export function compileReferenceFirst(document: Document): boolean {
  const node = presentValue(asMap(presentValue(policyOf(document), 'results')), 'reference_first');
  return node?.kind === 'scalar' && node.value === true;
}

/** `failure.mode` of a policy. */
export function failureModeOf(policy: MapNode | undefined): FailureMode | undefined {
  const mode = asText(presentValue(asMap(presentValue(policy, 'failure')), 'mode'));
  return mode === 'best_effort' || mode === 'fail_fast' ? mode : undefined;
}

export function executionFailureMode(document: Document): FailureMode {
  return failureModeOf(policyOf(document)) ?? 'fail_fast';
}

/** An option of a step's boundary: under `spec.policy`, or directly under `spec`. */
export function stepKnob(step: StepDoc, key: string): YamlNode | undefined {
  return presentValue(asMap(presentValue(step.spec, 'policy')), key) ?? presentValue(step.spec, key);
}

/** The entries as an input mapping of the Plan; undefined when empty. */
export function compileInputs(
  entries: readonly MapEntry[],
  place: TemplatePlace,
  values: Values,
): { input?: PlanValue } {
  return entries.length === 0 ? {} : { input: values.map(entries, withToolScope(place)) };
}
