import { isRunnable, type TaskPlan, type Value } from '../../plan';
import { type Place } from '../check/place';
import { type Entry } from '../yaml/node';
import { type StepDoc, type TaskDoc } from '../document/document';
import { KINDS } from '../kinds';
import { checkSplicing, compileCode, readsContext } from './code';
import { type Compilation } from './compilation';
import { compileRetry } from './retry';
import { compileRules } from './rules';
import { compileInputs, compileSpec } from './effective';
import { compactMap } from './values';
import { compileWrites } from './writes';

export function compileTask(task: TaskDoc, step: StepDoc, compilation: Compilation): TaskPlan {
  const { values, document } = compilation;
  const { kind, boundary } = task.stands ?? { kind: 'task' as const };
  const place: Place = { kind, step, task, ...(boundary ? { boundary } : {}) };
  const present = new Set(task.fields.map((field) => field.key));
  return {
    name: task.name,
    kind: task.kind,
    at: values.at(task.at),
    ...compileInputs(task.inputs, place, values),
    config: compileConfig(task, place, compilation),
    strict: (KINDS[task.kind]?.strict ?? []).filter((field) => present.has(field)),
    spec: compileSpec(task, step, document, values),
    ...(task.rules === undefined ? {} : { rules: compileRules(task.rules, step, task, values) }),
    ...(task.retry === undefined
      ? {}
      : { retry: compileRetry(task.retry, { kind: 'retry', step, task }, values) }),
    ...(task.sinks === undefined ? {} : { sinks: task.sinks }),
    ...(task.when === undefined ? {} : { when: values.condition(task.when, place) }),
    set: compileWrites(task.writes, { kind: 'outcome', step, task }, values),
    ...(isRunnable(task.kind) ? {} : { unavailable: true as const }),
    ...(needsContext(task, step) ? { needsContext: true as const } : {}),
    ...compileOrigin(task, compilation),
  };
}

/** The construct of sugar around the task, for those who debug the playbook. */
function compileOrigin(task: TaskDoc, { origins, values }: Compilation): Pick<TaskPlan, 'sugar'> {
  const origin = origins.get(task);
  if (origin === undefined) return {};
  const { construct, at, branch, generated } = origin;
  return {
    sugar: {
      construct,
      at: values.at(at),
      ...(branch === undefined ? {} : { branch }),
      ...(generated === undefined ? {} : { generated }),
    },
  };
}

function compileConfig(task: TaskDoc, place: Place, compilation: Compilation): Value {
  const code = KINDS[task.kind]?.code ?? [];
  return compactMap(
    task.fields.map(
      (field) =>
        [field.key, compileField(field, code.includes(field.key), task, place, compilation)] as const,
    ),
  );
}

function compileField(
  field: Entry,
  isCode: boolean,
  task: TaskDoc,
  place: Place,
  compilation: Compilation,
): Value {
  const { values, report, check } = compilation;
  if (isCode && field.value.kind === 'scalar') return compileCode(field.value, place, values, check, report);
  const value = values.value(field.value, place);
  if ('template' in value) checkSplicing(task, field, value.template, values, report);
  return value;
}

function needsContext(task: TaskDoc, step: StepDoc): boolean {
  if (task.kind !== 'python') return false;
  if ([...task.inputs, ...step.inputs].some((input) => input.key === 'context')) return false;
  const code = task.fields.find((field) => field.key === 'code')?.value;
  if (code?.kind === 'scalar') return typeof code.value === 'string' && readsContext(code.value);
  return task.fields.some((field) => field.key === 'script');
}
