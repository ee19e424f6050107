import { Document, type Scalar, visit } from 'yaml';
import {
  type Assignment,
  type Json,
  type Plan,
  type Rule,
  type StepPlan,
  type TaskPlan,
  type Value,
} from '../../plan';
import { type Template } from '../../template/ir';
import { upgrade } from './upgrade';

type Fields = Record<string, unknown>;

/**
 * A plan as a playbook in the current spelling, which compiles to a plan of the same meaning: what the compiler made of
 * a playbook, in the author's language. Comments, workbook, unused keys and sugar are gone, inherited specs are written
 * at each task.
 */
export function printPlan(plan: Plan): string {
  const { metadata, workload, keychain, steps, start } = plan;
  const executor = {
    ...(start === 'start' ? {} : { entry_step: start }),
    policy: {
      limits: {
        max_step_runs: plan.limits.maxStepRuns,
        max_task_visits: plan.limits.maxTaskVisits,
        max_payload_bytes: plan.limits.maxPayloadBytes,
      },
      results: { reference_first: plan.results.referenceFirst },
      failure: { mode: plan.failureMode },
    },
  };
  const document = new Document({
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata,
    ...(keychain.length === 0
      ? {}
      : {
          keychain: keychain.map(({ name, kind, config }) => ({
            name,
            kind,
            ...(written(config) as Fields),
          })),
        }),
    executor: { spec: executor },
    ...filled('workload', workload),
    workflow: steps.map(printStep),
  });
  visit(document, { Scalar: quoteTemplates });
  // What plans still call by an older name (`outcome`, arguments of arcs) gets its newer one.
  return upgrade(document.toString({ lineWidth: 0 })).text;
}

/** Templates stand in double quotes, as everywhere in the documentation; texts of several lines as blocks. */
function quoteTemplates(_: unknown, node: Scalar): void {
  if (typeof node.value !== 'string' || !node.value.includes('{{') || node.value.includes('\n')) return;
  node.type = 'QUOTE_DOUBLE';
}

function printStep(step: StepPlan): Fields {
  const { loop, router } = step;
  const policy: Fields = {
    ...(step.admit === undefined
      ? {}
      : { admit: { rules: step.admit.map(({ when, allow }) => clause(when, { allow })) } }),
    ...(step.joinEach ? { join: 'each' } : {}),
    ...(step.failureMode === undefined ? {} : { failure: { mode: step.failureMode } }),
    ...(step.timeout === undefined && step.deadline === undefined
      ? {}
      : { lifecycle: { ...optional('timeout_s', step.timeout), ...optional('deadline_s', step.deadline) } }),
  };
  return {
    step: step.name,
    ...(step.desc === undefined ? {} : { desc: step.desc }),
    ...(Object.keys(policy).length === 0 ? {} : { spec: { policy } }),
    ...optional('input', step.input),
    ...(loop === undefined
      ? {}
      : {
          loop: {
            in: written(loop.in),
            iterator: loop.iterator,
            spec: {
              mode: loop.mode,
              ...optional('max_in_flight', loop.maxInFlight),
              ...(loop.exec === 'inline' ? {} : { policy: { exec: loop.exec } }),
            },
          },
        }),
    ...(step.tasks.length === 0
      ? {}
      : {
          tool: step.pipeline
            ? step.tasks.map((task) => printTask(task, true))
            : printTask(step.tasks[0]!, false, step.name),
        }),
    ...assignments(step.set),
    ...(router === undefined
      ? {}
      : {
          next: {
            spec: { mode: router.mode },
            arcs: router.arcs.map((arc) => ({
              step: arc.step ?? 'end',
              ...(arc.when === undefined ? {} : { when: condition(arc.when) }),
              ...optional('args', arc.args),
              ...assignments(arc.set),
            })),
          },
        }),
  };
}

function printTask(task: TaskPlan, listed: boolean, step = ''): Fields {
  const { timeout, pool, delivery, options } = task.spec;
  const spec: Fields = {
    ...(timeout === undefined
      ? {}
      : {
          timeout: Object.fromEntries(
            Object.entries(timeout).map(([key, value]) => [key, written(value as Value)]),
          ),
        }),
    ...(pool === undefined ? {} : { pool }),
    ...(delivery === 'at_least_once' ? {} : { delivery }),
    ...(written(options) as Fields),
    ...(task.rules === undefined ? {} : { policy: { rules: task.rules.map(printRule) } }),
  };
  return {
    // A single tool has the name of its step unless it says otherwise.
    ...(listed || task.name !== `${step}_task` ? { name: task.name } : {}),
    kind: task.kind,
    ...optional('input', task.input),
    ...(written(task.config) as Fields),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    ...assignments(task.set),
  };
}

function printRule(rule: Rule): Fields {
  return clause(rule.when, {
    do: rule.do,
    ...optional('attempts', rule.attempts),
    ...(rule.backoff === undefined ? {} : { backoff: rule.backoff }),
    ...optional('delay', rule.delay),
    ...optional('max_delay', rule.maxDelay),
    ...(rule.to === undefined ? {} : { to: rule.to }),
    ...assignments(rule.set),
  });
}

function clause(when: Template | undefined, then: Fields): Fields {
  return when === undefined ? { else: { then } } : { when: condition(when), then };
}

/** A condition that was written without braces gets them; `true` stays `true`. */
function condition(template: Template): Json {
  if (template.kind === 'expression' && template.expr.op === 'lit' && !template.source.includes('{{')) {
    return template.expr.v;
  }
  return /\{[{%]/.test(template.source) ? template.source : `{{ ${template.source} }}`;
}

function assignments(set: readonly Assignment[]): Fields {
  if (set.length === 0) return {};
  const entries = set.map(({ scope, path, value }) => {
    const key = path.join('.');
    return [scope === 'local' ? key : `${scope}.${key}`, written(value)] as const;
  });
  return { set: Object.fromEntries(entries) };
}

function optional(key: string, value: Value | undefined): Fields {
  return value === undefined ? {} : { [key]: written(value) };
}

/** The entry, unless it is an empty mapping. */
function filled(key: string, value: Value): Fields {
  const data = written(value);
  return typeof data === 'object' && data !== null && Object.keys(data).length === 0 ? {} : { [key]: data };
}

function written(value: Value): unknown {
  if ('const' in value) return value.const;
  if ('template' in value) return value.template.source;
  if ('list' in value) return value.list.map(written);
  return Object.fromEntries(value.map.map(([key, each]) => [key, written(each)]));
}
