import { type Located, type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOfText } from '../diagnostics/suggest';
import { RETRY_FIELD, SINK_FIELD } from '../schema/case';
import { checkSchemaShape, checkType } from '../schema/check';
import { TOOL } from '../schema/tool';
import { givesInputs, inputsOf, toolInputs } from '../vocabulary/inputs';
import { writesOf } from '../vocabulary/writes';
import {
  asList,
  asMap,
  asText,
  child,
  entry,
  type MapEntry,
  isNull,
  type MapNode,
  mergeMaps,
  type YamlNode,
  presentValue,
} from '../yaml/node';
import { type TaskPlace, type Workbook, type WorkbookTask, type Write, type WrittenTool } from './document';

/** The workbook in its three forms: a list of named tasks, `{tasks: …}`, or a mapping by name. */
export function readWorkbook(root: MapNode, report: Report): Workbook {
  const tasks = new Map<string, WorkbookTask>();
  const add = (name: string, at: Located, body: YamlNode): void => {
    const task = readEntry(name, at, body, report);
    if (task === undefined) return;
    if (tasks.has(name)) report.add('NT3020', at, `the workbook has two tasks \`${name}\``);
    else tasks.set(name, task);
  };
  const workbook = child(root, 'workbook');
  const inner = asMap(workbook) === undefined ? undefined : child(asMap(workbook), 'tasks');
  const tasksNode =
    inner !== undefined && asMap(inner)?.entries.some((each) => each.key === 'kind') !== true
      ? inner
      : workbook;
  for (const item of asList(tasksNode)?.items ?? []) {
    const node = asMap(item) === undefined ? undefined : presentValue(asMap(item), 'name');
    const name = asText(node);
    if (node === undefined || name === undefined)
      report.add('NT2005', item, 'a task of the workbook needs a `name`');
    else add(name, node, item);
  }
  for (const each of asMap(tasksNode)?.entries ?? []) add(each.key, each.at, each.value);
  return tasks;
}

function readEntry(name: string, at: Located, body: YamlNode, report: Report): WorkbookTask | undefined {
  const map = asMap(body);
  const written =
    map === undefined
      ? undefined
      : (asMap(child(map, 'tool')) ?? (child(map, 'kind') === undefined ? undefined : map));
  if (map === undefined || written === undefined) {
    report.add('NT2005', at, `the workbook task \`${name}\` needs a \`tool\``, 'write `tool: {kind: …}`');
    return undefined;
  }
  const tool = checkSchemaShape(written, TOOL, report);
  const rules = map === written ? undefined : entry(map, 'case');
  if (rules !== undefined) {
    report.add(
      'NT2024',
      rules.at,
      '`case` is set on a task of the workbook',
      'move it to the step that calls the task',
    );
  }
  return { name, at, tool: map === written ? tool : withOwn(map, tool, report) };
}

/** Keys beside the tool of a workbook task; inputs are checked when parsed. */
const OWN = { sink: SINK_FIELD, retry: RETRY_FIELD, input: undefined, args: undefined, with: undefined };

/** Keys beside the tool of a workbook task that apply to every call. */
function withOwn(map: MapNode, tool: MapNode, report: Report): MapNode {
  const own = Object.entries(OWN).flatMap(([key, type]) => {
    const written = entry(map, key);
    if (written === undefined || entry(tool, key) !== undefined) return [];
    const value = type ? checkType(written.value, type.type, `\`${key}\``, report) : written.value;
    return [{ ...written, value }];
  });
  return own.length === 0 ? tool : { ...tool, entries: [...tool.entries, ...own] };
}

/** The replacement for a call of a workbook task. */
interface Inlined {
  readonly tool: MapNode;
  /** The surrounding mapping for the tool's fields: the workbook entry. */
  readonly step: MapNode;
  readonly inputs: readonly MapEntry[];
  /** Those of the call, if the task's own are computed from inputs. */
  readonly given?: readonly MapEntry[];
  readonly writes: readonly Write[];
}

/** Resolves a call of a workbook task; the caller's inputs, spec and writes take precedence. */
export function resolveCall({ tool: call, place, at }: WrittenTool): Inlined | undefined {
  const { report } = place;
  const named = presentValue(call, 'task') ?? presentValue(call, 'name');
  const name = asText(named);
  if (named === undefined || name === undefined) {
    report.add('NT2051', at, '`workbook` needs `name`, the task that is called');
    return undefined;
  }
  const task = place.workbook.get(name);
  if (task === undefined) {
    const all = [...place.workbook.keys()];
    const others = all.length === 0 ? 'the playbook has no `workbook`' : `the workbook has ${oneOfText(all)}`;
    report.add('NT3005', named, `the workbook has no task \`${name}\``, didYouMean(name, all) ?? others);
    return undefined;
  }
  if (asText(child(task.tool, 'kind')) === 'workbook') {
    const message = `the workbook task \`${name}\` is itself of kind \`workbook\``;
    report.add('NT3006', task.at, message, 'give it a tool of its own');
    return undefined;
  }
  return {
    tool: merged(call, task.tool, entry(call, 'retry') !== undefined || place.retry !== undefined),
    step: task.tool,
    ...callInputs(call, task, place, named),
    writes: [...writesOf(task.tool, report), ...writesOf(call, report)],
  };
}

/** The task's tool with the caller's spec merged over its own; a policy is replaced as a whole. */
function merged(call: MapNode, tool: MapNode, repeated: boolean): MapNode {
  const over = asMap(presentValue(call, 'spec'));
  const base = asMap(presentValue(tool, 'spec'));
  const spec = mergeMaps(
    base === undefined || over === undefined || entry(over, 'policy') === undefined
      ? base
      : { ...base, entries: base.entries.filter((each) => each.key !== 'policy') },
    over,
  );
  const entries = tool.entries.filter(
    (each) =>
      !['spec', 'name', 'set', 'set_ctx', 'set_iter'].includes(each.key) &&
      // The caller's repetition replaces the task's own.
      !(each.key === 'retry' && repeated),
  );
  const retry = entry(call, 'retry');
  if (retry !== undefined) entries.push(retry);
  // Inputs in specs are already among those of the call.
  const knobs = spec && { ...spec, entries: spec.entries.filter((each) => !givesInputs(each)) };
  if (knobs !== undefined) entries.push({ key: 'spec', at: knobs, value: knobs });
  return { ...tool, entries };
}

function callInputs(
  call: MapNode,
  task: WorkbookTask,
  place: TaskPlace,
  named: Located,
): Pick<Inlined, 'inputs' | 'given'> {
  const { report } = place;
  const given = new Map(toolInputs(call, report).map((each) => [each.key, each]));
  const around = new Set(inputsOf(place.step, report).map((each) => each.key));
  const inputs = new Map<string, MapEntry>();
  for (const each of toolInputs(task.tool, report)) {
    if (!isNull(each.value)) inputs.set(each.key, each);
    else if (!given.has(each.key) && !around.has(each.key) && !place.arriving.has(each.key)) {
      const hint = `give it as \`input: {${each.key}: …}\``;
      report.add('NT3007', named, `the workbook task \`${task.name}\` needs the input \`${each.key}\``, hint);
    }
  }
  const names = [...given.keys(), 'args', 'input'];
  const computes = [...inputs.values()].some(({ key, value }) => !given.has(key) && readsOneOf(names, value));
  for (const [key, each] of given) inputs.set(key, each);
  return { inputs: [...inputs.values()], ...(computes && given.size > 0 && { given: [...given.values()] }) };
}

/** Whether a template in the value may read one of these names. */
function readsOneOf(names: readonly string[], node: YamlNode): boolean {
  if (node.kind === 'map') return node.entries.some(({ value }) => readsOneOf(names, value));
  if (node.kind === 'list') return node.items.some((item) => readsOneOf(names, item));
  const words = /\{[{%]/.test(String(node.value)) ? String(node.value).match(/\w+/g) : null;
  return words?.some((word) => names.includes(word)) === true;
}
