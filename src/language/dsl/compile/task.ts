import {
  compact,
  declarationOf,
  isRunnable,
  type PlaceKind,
  type SourcePosition,
  type TaskPlan,
  type PlanValue,
} from '../../plan';
import { withToolScope, type TemplatePlace } from '../check/place';
import { neededParameters } from '../check/python-names';
import { asText, entry, type MapEntry, type YamlNode, presentValue } from '../yaml/node';
import { type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';
import { type ToolKind, toolKind } from '../kinds';
import { compileCode, readsContext } from './code';
import { checkSplicing } from './splicing';
import { type Compilation } from './compilation';
import { compileLoop } from './loop';
import { compileTaskRules } from './rules';
import { compileInputs, compileSpec } from './effective';
import { runsLocally } from '../check/exec';
import { compactMap, type Values } from './values';
import { compileWrites } from './writes';

/**
 * Compiles a task and, for an iterator, its inner tasks.
 *
 * @param loops loops of the enclosing tasks, outermost first
 */
export function compileTask(
  task: TaskDoc,
  step: StepDoc,
  compilation: Compilation,
  loops: readonly LoopDoc[] = [],
): TaskPlan {
  const { values, document } = compilation;
  const { kind, boundary } = task.stands ?? { kind: 'task' as const };
  const place: TemplatePlace = { kind, step, task, loops, ...(boundary ? { boundary } : {}) };
  const within = (at: PlaceKind): TemplatePlace => ({ kind: at, step, task, loops });
  const present = new Set(task.fields.map((field) => field.key));
  const runs = isRunnable(task.kind) || document.extensions.has(task.kind);
  const declared = toolKind(task.kind, document.extensions);
  const strict = declared?.strict ?? [];
  const condition = task.kind === 'wait' ? within('wait') : place;
  const spec = compileSpec(task, step, compilation, loops);
  const rules = compileTaskRules(task, step, values, loops);
  return {
    name: task.name,
    kind: task.kind,
    at: values.at(task.at),
    ...compileOwnInputs(task, place, values),
    // The inputs of a sub-playbook are passed on; its path and version are read by the workflow.
    config: compileConfig(task, task.kind === 'playbook' ? place : withToolScope(place), compilation),
    strict: strict.filter((field) => present.has(field)),
    spec,
    ...(runsLocally(task, spec, step, document, loops) ? { local: true as const } : {}),
    ...compact({ rules }),
    ...(task.when === undefined ? {} : { when: values.condition(task.when, condition) }),
    ...compileIterator(task, step, place, compilation),
    set: compileWrites(task.writes, within('outcome'), values),
    ...(runs ? {} : { unavailable: true as const }),
    // What built-in kinds declare the engine knows; an extension is known here only.
    ...(declarationOf(task.kind) ? {} : compact({ payload: declared?.payload })),
    ...codePlace(task, declared, values),
    ...(needsContext(task, step, compilation) ? { needsContext: true as const } : {}),
    ...compileOrigin(task, compilation),
  };
}

/** Two layers for a call of a workbook task whose own inputs are computed: what the call gives, and what sees it. */
function compileOwnInputs(
  { inputs, given }: TaskDoc,
  place: TemplatePlace,
  values: Values,
): Pick<TaskPlan, 'input' | 'given'> {
  if (!given) return compileInputs(inputs, place, values);
  return {
    ...compileInputs(
      inputs.filter((each) => !given.includes(each)),
      place,
      values,
    ),
    ...compact({ given: compileInputs(given, place, values).input }),
  };
}

function compileIterator(
  task: TaskDoc,
  step: StepDoc,
  place: TemplatePlace,
  compilation: Compilation,
): Pick<TaskPlan, 'loop' | 'body'> {
  const { loop, body } = task;
  if (loop === undefined || body === undefined) return {};
  const loops = [...(place.loops ?? []), loop];
  return {
    loop: compileLoop(loop, place, compilation.values),
    body: body.map((each) => compileTask(each, step, compilation, loops)),
  };
}

/** Only when each line of code is a line of the YAML: not for folded strings or escaped newlines. */
function codePlace(task: TaskDoc, declared: ToolKind | undefined, values: Values): Pick<TaskPlan, 'codeAt'> {
  const node = task.fields.find(({ key }) => declared?.code?.includes(key))?.value;
  if (node?.kind !== 'scalar' || !values.code.has(node)) return {};
  const code = String(node.value).trimEnd();
  const placeOf = (index: number): SourcePosition => values.at({ ...node, start: node.offsetOf(index) });
  const first = placeOf(0);
  const [last] = placeOf(code.lastIndexOf('\n') + 1);
  return last - first[0] === code.split('\n').length - 1 ? { codeAt: first } : {};
}

/** The sugar construct that contains the task, for debugging. */
function compileOrigin(task: TaskDoc, { origins, values }: Compilation): Pick<TaskPlan, 'sugar'> {
  if (task.generated) return { sugar: { construct: 'turns', at: values.at(task.at), generated: true } };
  const origin = origins.get(task);
  if (origin === undefined) return {};
  const { construct, at, branch, generated } = origin;
  return {
    sugar: {
      construct,
      at: values.at(at),
      ...compact({ branch, generated }),
    },
  };
}

function compileConfig(task: TaskDoc, place: TemplatePlace, compilation: Compilation): PlanValue {
  const code = toolKind(task.kind, compilation.document.extensions)?.code ?? [];
  return compactMap(
    task.fields.map(
      (field) =>
        [field.key, compileField(field, code.includes(field.key), task, place, compilation)] as const,
    ),
  );
}

function compileField(
  field: MapEntry,
  isCode: boolean,
  task: TaskDoc,
  place: TemplatePlace,
  compilation: Compilation,
): PlanValue {
  const { document, values, report, check } = compilation;
  if (isCode && field.value.kind === 'scalar') return compileCode(field.value, place, values, check, report);
  const entry = /^(auth|credential)$/.test(field.key) ? authOfKeychain(field.value, compilation) : undefined;
  if (entry) return entry;
  const value = values.value(field.value, {
    ...(task.kind === 'playbook' && field.key === 'payload' ? withToolScope(place) : place),
    ...splicing(field.key, toolKind(task.kind, document.extensions)),
    ...(isText(field, toolKind(task.kind, document.extensions)) && { text: true as const }),
  });
  checkSplicing(toolKind(task.kind, document.extensions), field, values, report);
  return value;
}

/** String fields, and mappings whose values are strings. */
function isText({ key, value }: MapEntry, declared: ToolKind | undefined): boolean {
  if (key === 'url' || key === 'endpoint') return value.kind === 'scalar';
  return (
    value.kind === 'map' && (key === 'headers' || key === 'env' || declared?.texts?.includes(key) === true)
  );
}

/** The keychain entry named by `auth: NAME` or `auth: {credential: NAME}`: its value. */
function authOfKeychain(node: YamlNode, { check, values }: Compilation): PlanValue | undefined {
  const named = node.kind === 'map' && node.entries.length === 1 ? presentValue(node, 'credential') : node;
  const name = asText(named);
  if (named === undefined || name === undefined || check.keychain.asAuth(name) === undefined)
    return undefined;
  const source = `{{ keychain['${name}'] }}`;
  const expr = { op: 'get', o: { op: 'name', n: 'keychain', p: 3 }, k: name, p: 11 } as const;
  return { template: { kind: 'expression', expr, source, at: values.at(named) } };
}

/** How to pass a secret to what this field runs without writing it into the text. */
function splicing(field: string, declared: ToolKind | undefined): Pick<TemplatePlace, 'spliced'> {
  if (declared?.sql?.includes(field))
    return { spliced: 'write a placeholder (`$1`) and pass the value in `params`' };
  if (declared?.command?.includes(field))
    return { spliced: 'pass it in `env: {TOKEN: "{{ … }}"}`, and write `"$TOKEN"`' };
  return {};
}

/** Whether its code reads `context`, or has a `main` with parameters that only the context has. */
function needsContext(task: TaskDoc, step: StepDoc, { document, stepNames }: Compilation): boolean {
  if (toolKind(task.kind, document.extensions)?.readsContext !== true) return false;
  const given = new Set([...task.inputs, ...step.inputs].map(({ key }) => key));
  if (given.has('context')) return false;
  const code = task.fields.find((field) => field.key === 'code')?.value;
  if (code?.kind !== 'scalar') return task.fields.some((field) => field.key === 'script');
  if (typeof code.value !== 'string') return false;
  const isElsewhere = (name: string): boolean =>
    stepNames.has(name) ||
    entry(document.workload, name) !== undefined ||
    step.tasks.some((one) => one.name === name);
  return (
    readsContext(code.value) ||
    neededParameters(code.value).some((name) => !given.has(name) && isElsewhere(name))
  );
}
