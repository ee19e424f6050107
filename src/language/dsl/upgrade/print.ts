import { Document, type Scalar, visit } from 'yaml';
import {
  type ArcPlan,
  compact,
  everyTask,
  type LoopPlan,
  type Plan,
  type RulePlan,
  type RuleSet,
  type StepPlan,
  type TaskPlan,
  type PlanValue,
} from '../../plan';
import { KINDS } from '../kinds';
import { printActions, printKnobs, printThen, type SinkPrinter } from './print-actions';
import { printExecutionLimits, printTaskLimits } from './print-limits';
import { respell } from './upgrade';
import {
  assignments,
  clause,
  type WrittenFields,
  filled,
  guarded,
  optionalField,
  writtenValue,
} from './written';

/**
 * Prints a plan as a playbook in the current spelling, which compiles to an equivalent plan: the compiler's result
 * as YAML. Comments, workbook, unused keys and sugar are lost, inherited specs are written at each task.
 */
export function printPlan(plan: Plan): string {
  const { metadata, workload, keychain, steps, start } = plan;
  const executor = {
    ...(start === 'start' ? {} : { entry_step: start }),
    ...compact({ deadline: plan.deadline }),
    ...filled('extensions', extensionsOf(plan)),
    ...printExecutionLimits(plan),
    policy: {
      limits: {
        max_step_runs: plan.limits.maxStepRuns,
        max_live_tokens: plan.limits.maxLiveTokens,
        max_task_visits: plan.limits.maxTaskVisits,
        max_payload_bytes: plan.limits.maxPayloadBytes,
      },
      results: { reference_first: plan.results.referenceFirst },
      failure: { mode: plan.failureMode },
    },
  };
  const workbook: WrittenFields[] = [];
  const workflow = steps.map((step) => calling(printStep(step), workbook) as WrittenFields);
  const document = new Document({
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: {
      ...metadata,
      ...(plan.on && { on: plan.on }),
      ...(plan.inputs && { workload: plan.inputs.schemas }),
    },
    ...filled(
      'keychain',
      keychain.map(({ name, kind, config }) => ({ name, kind, ...(writtenValue(config) as WrittenFields) })),
    ),
    executor: { spec: executor },
    ...filled('workload', writtenValue(workload)),
    ...(workbook.length > 0 && { workbook }),
    workflow,
  });
  visit(document, { Scalar: quoteTemplates });
  // Older names that plans still use (`outcome`, arguments of arcs) are replaced by the newer ones.
  return respell(document.toString({ lineWidth: 0 })).text;
}

/** Inputs that a task computes from those of its call have a layer of their own, as in a workbook. */
const LAYERED = Symbol('what the call gives');

/** What was printed, with its layered tasks in the workbook and calls in their places. */
function calling(printed: unknown, workbook: WrittenFields[]): unknown {
  if (Array.isArray(printed)) return printed.map((each) => calling(each, workbook));
  if (typeof printed !== 'object' || printed === null) return printed;
  const fields = Object.fromEntries(
    Object.entries(printed).map(([key, value]) => [key, calling(value, workbook)]),
  );
  const input = (printed as { [LAYERED]?: WrittenFields })[LAYERED];
  if (input === undefined) return fields;
  const { name, ...tool } = fields;
  const task = `${typeof name === 'string' ? name : String(tool['kind'])}_${workbook.length + 1}`;
  workbook.push({ name: task, tool });
  return { ...compact({ name }), kind: 'workbook', task, input };
}

/** Templates are double-quoted, as in the documentation; multi-line strings are blocks. */
function quoteTemplates(_: unknown, node: Scalar): void {
  if (typeof node.value !== 'string' || !node.value.includes('{{') || node.value.includes('\n')) return;
  node.type = 'QUOTE_DOUBLE';
}

function printStep(step: StepPlan): WrittenFields {
  const { loop } = step;
  const sinks = sinksOf(step);
  const policy: WrittenFields = {
    ...(step.admit === undefined
      ? {}
      : { admit: { rules: step.admit.map(({ when, allow }) => clause(when, { allow })) } }),
    ...(step.joinEach ? { join: 'each' } : {}),
    ...(step.failureMode === undefined ? {} : { failure: { mode: step.failureMode } }),
    ...filled('lifecycle', {
      ...optionalField('timeout_s', step.timeout),
      ...optionalField('deadline_s', step.deadline),
    }),
  };
  const spec: WrittenFields = {
    ...(step.rules?.mode === 'all' ? { case_mode: 'inclusive' } : {}),
    ...filled('policy', policy),
  };
  return {
    step: step.name,
    ...compact({ desc: step.desc }),
    ...filled('spec', spec),
    ...optionalField('input', step.input),
    ...(loop === undefined ? {} : { loop: printLoop(loop) }),
    ...(step.tasks.length > 0 && { tool: printTools(step, sinks) }),
    ...assignments(step.set),
    ...printCase(step, sinks),
    ...printStorage(step.rules, sinks),
    ...printRouter(step),
  };
}

function printTools(
  { name, pipeline, tasks }: StepPlan,
  sinks: SinkPrinter,
): WrittenFields | WrittenFields[] {
  return pipeline
    ? tasks.map((task) => printTask(task, sinks, true))
    : printTask(tasks[0]!, sinks, false, name);
}

function printLoop(loop: LoopPlan): WrittenFields {
  return {
    in: writtenValue(loop.in),
    iterator: loop.iterator,
    spec: {
      mode: loop.mode,
      ...optionalField('max_in_flight', loop.maxInFlight),
      ...(loop.exec === 'inline' ? {} : { policy: { exec: loop.exec } }),
    },
  };
}

function printCase({ rules, router }: StepPlan, sinks: SinkPrinter): WrittenFields {
  const grouped = askedOf(rules);
  if (grouped.length === 0) return {};
  const arc = (index: number): WrittenFields => printArc(router!.arcs[index]!);
  return { case: grouped.map((rule) => clause(rule.when, printThen(rule, sinks, arc))) };
}

/** The rules written as such by the author. */
function askedOf(set: RuleSet | undefined): RulePlan[] {
  return (set?.rules ?? []).filter(({ on }) => !on.includes('store'));
}

/** `sink` of a step or of a task. */
function printStorage(set: RuleSet | undefined, sinks: SinkPrinter): WrittenFields {
  const stored = (set?.rules ?? []).filter(({ on }) => on.includes('store'));
  if (stored.length === 0) return {};
  return Object.assign({}, ...stored.flatMap(({ actions }) => printActions(actions, sinks))) as WrittenFields;
}

/** With `case`, the router is the structural list: all of its arcs are taken. */
function printRouter({ rules, router }: StepPlan): WrittenFields {
  const arcs = (router?.arcs ?? []).filter((arc) => arc.rule === undefined);
  const hasCase = askedOf(rules).length > 0;
  if (router === undefined || (hasCase && arcs.length === 0)) return {};
  if (hasCase) return { next: arcs.map(printArc) };
  return { next: { spec: { mode: router.mode }, arcs: arcs.map(printArc) } };
}

function printArc(arc: ArcPlan): WrittenFields {
  return {
    step: arc.step ?? 'end',
    ...guarded(arc.when),
    ...optionalField('args', arc.args),
    ...assignments(arc.set),
  };
}

/** Sinks by name, each with its condition. */
function sinksOf(step: StepPlan): SinkPrinter {
  const print: SinkPrinter = (name) => {
    const task = step.sinks!.find((each) => each.name === name)!;
    return {
      name,
      ...guarded(task.when),
      tool: printTask({ ...task, when: undefined }, print, false, name.replace(/_task$/, '')),
    };
  };
  return print;
}

function printInputs({ given, input }: TaskPlan): WrittenFields & { [LAYERED]?: WrittenFields } {
  const own = (optionalField('i', input)['i'] ?? {}) as WrittenFields;
  if (given === undefined) return filled('input', own);
  const outer = optionalField('i', given)['i'] as WrittenFields;
  const inner = Object.entries(own).filter(([key]) => !Object.hasOwn(outer, key));
  return { ...filled('input', Object.fromEntries(inner)), [LAYERED]: outer };
}

function printTask(task: TaskPlan, sinks: SinkPrinter, listed: boolean, step = ''): WrittenFields {
  const { timeout, pool, delivery, options } = task.spec;
  const grouped = askedOf(task.rules);
  const spec: WrittenFields = {
    ...(timeout && { timeout: writtenValue({ map: Object.entries(timeout) }) }),
    ...(task.local ? { exec: 'local' } : {}),
    ...compact({ pool }),
    ...(delivery === 'at_least_once' ? {} : { delivery }),
    ...printTaskLimits(task.spec),
    ...printOptions(options),
    ...(task.rules?.of === 'policy' && grouped.length > 0
      ? { policy: { rules: grouped.map(printRule) } }
      : {}),
  };
  return {
    // A single tool is named after its step by default.
    ...(listed || task.name !== `${step}_task` ? { name: task.name } : {}),
    kind: task.kind,
    ...printInputs(task),
    ...(writtenValue(task.config) as WrittenFields),
    ...guarded(task.when),
    ...filled('spec', spec),
    ...(task.loop === undefined ? {} : { loop: printLoop(task.loop) }),
    ...(task.body === undefined ? {} : { tool: task.body.map((each) => printTask(each, sinks, true)) }),
    ...(task.rules?.of === 'retry' ? printRetry(grouped, sinks) : {}),
    ...printStorage(task.rules, sinks),
    ...assignments(task.set),
  };
}

/** The compiler adds the playbook's path to `cache`. */
function printOptions(options: PlanValue): WrittenFields {
  const { cache, ...others } = writtenValue(options) as WrittenFields;
  if (typeof cache !== 'object' || cache === null) return others;
  const given = Object.entries(cache).filter(([key]) => key !== 'path');
  return { ...others, cache: Object.fromEntries(given) };
}

function printRule({ when, move, actions }: RulePlan): WrittenFields {
  const retry = move?.do === 'retry' ? move : undefined;
  return clause(when, {
    do: move?.do,
    ...optionalField('attempts', retry?.attempts),
    ...compact({ backoff: retry?.backoff }),
    ...optionalField('delay', retry?.delay),
    ...optionalField('max_delay', retry?.maxDelay),
    ...(move?.do === 'jump' ? { to: move.to } : {}),
    ...optionalField('message', move?.do === 'fail' ? move.message : undefined),
    ...(Object.assign({}, ...printActions(actions, () => ({}))) as WrittenFields),
  });
}

/** A single policy without a condition is written as a mapping. */
function printRetry(rules: readonly RulePlan[], sinks: SinkPrinter): WrittenFields {
  const [only, ...others] = rules;
  if (only === undefined) return {};
  const then = ({ move, actions }: RulePlan): WrittenFields => ({
    ...(move?.do === 'retry' ? printKnobs(move) : {}),
    ...(Object.assign({}, ...printActions(actions, sinks)) as WrittenFields),
  });
  // `retry_when` of pages is equivalent to a policy of the list.
  const isStrict = only.move?.do === 'retry' && only.move.exhausted === 'fail';
  if (others.length > 0 || (only.when !== undefined && !isStrict && only.unless === undefined)) {
    return { retry: rules.map((rule) => clause(rule.when, then(rule))) };
  }
  return {
    retry: {
      ...guarded(only.when, 'retry_when'),
      ...guarded(only.unless, 'stop_when'),
      ...then(only),
    },
  };
}

/** Kinds that the playbook must declare; a list if they need no details. */
function extensionsOf(plan: Plan): string[] | WrittenFields {
  const tasks = plan.steps.flatMap(everyTask).filter(({ kind }) => !Object.hasOwn(KINDS, kind));
  const kinds = new Map(tasks.map(({ kind, spec }) => [kind, spec.heartbeat]));
  const timed = [...kinds].filter(([, heartbeat]) => heartbeat !== undefined);
  if (timed.length === 0) return [...kinds.keys()];
  return Object.fromEntries(
    [...kinds].map(([kind, heartbeat]) => [kind, heartbeat === undefined ? {} : { heartbeat }]),
  );
}
