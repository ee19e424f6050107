import { compact } from '../../plan';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { closest } from '../diagnostics/suggest';
import { retryRules } from '../fixes/retry';
import { labelAsName } from '../fixes/structure';
import { SINK_AS_TASK } from '../fixes/words';
import { isServed, TASK_FIELDS, toolKind } from '../kinds';
import { checkSchemaShape, head } from '../schema/check';
import { INTO_SPEC } from '../schema/loop';
import { TOOL } from '../schema/tool';
import { toolInputs } from '../vocabulary/inputs';
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
  presentValue,
  without,
} from '../yaml/node';
import { agentTool } from './agent';
import { type TaskDoc, type TaskPlace, type WrittenTool } from './document';
import { asMeantTool, checkFields, toolFields, withoutFields } from './fields';
import { readLoop, readLoopFields } from './loop';
import { reportDistributions, reportUnknownKind, readIteratorAsLoop, withNamed } from './older';
import { overridden } from './overrides';
import { readRetry } from './retry';
import { readRules } from './rules';
import { storing } from './storing';
import { resolveCall } from './workbook';

/** Parses a tool mapping; undefined (with a diagnostic) if it is invalid. */
export function readTask(tool: MapNode, place: TaskPlace, label?: MapEntry): TaskDoc | undefined {
  const runs = agentTool(tool, place.report);
  return runs && readKind(runs, place, label);
}

function readKind(tool: MapNode, place: TaskPlace, label?: MapEntry): TaskDoc | undefined {
  const { report } = place;
  const kindNode = presentValue(tool, 'kind');
  const name = asText(kindNode);
  const at = label?.at ?? head(tool);
  if (name === undefined) {
    if (kindNode === undefined) {
      const misspelt = tool.entries.find((each) => closest(each.key, ['kind']) !== undefined);
      const hint =
        misspelt === undefined
          ? 'e.g. `kind: python`'
          : `did you mean \`kind\` instead of \`${misspelt.key}\`?`;
      report.add('NT2005', misspelt?.at ?? at, 'a tool needs a `kind`', hint);
    }
    return undefined;
  }
  const declared = toolKind(name, place.extensions);
  if (declared === undefined) {
    reportUnknownKind(name, kindNode!, place);
    return undefined;
  }
  const kind = declared.sameAs ?? name;
  if (!isServed(kind) && !place.extensions.has(kind)) {
    report.add(
      'NT2055',
      kindNode!,
      `this release has no tool of kind \`${kind}\`: the task fails when it is reached`,
      'run your own worker for it, and declare the kind in `executor.spec.extensions` (docs/extensions.md)',
    );
  }
  const written: WrittenTool = { tool, kind, declared, place, at, ...compact({ label }) };
  if (kind === 'iterator') return readIterator(written);
  if (entry(tool, 'loop') !== undefined) return readLooped(written);
  if (kind === 'workbook') return readCall(written);
  return readTool({ ...written, tool: withNamed(tool, declared, place.single, report) });
}

/** Keys of an iterator's body. */
const BODIES = ['tool', 'task', 'tasks', 'steps', 'pipeline'] as const;
const OF_LOOP: ReadonlySet<string> = new Set(['mode', 'max_in_flight']);

/** A task of kind `iterator`: its body runs once per item of its own list. */
function readIterator(written: WrittenTool): TaskDoc {
  const { tool, place, at } = written;
  const { report } = place;
  const nested = entry(tool, 'loop');
  const loop = nested === undefined ? readLoopFields(tool, at, report) : readLoop(nested, report);
  for (const each of tool.entries)
    if (nested === undefined && OF_LOOP.has(each.key)) report.older(each.at, INTO_SPEC);
  const [body, second] = BODIES.flatMap((key) => entry(tool, key) ?? []);
  if (second !== undefined) {
    const message = `\`${body!.key}\` and \`${second.key}\` both hold the body of the iterator`;
    report.add('NT2006', second.at, message, 'keep one of the two');
  }
  const task = readTool(written);
  const { name, spec } = task;
  const tasks = body === undefined ? [] : readBody(body, name, tool, place);
  if (body === undefined) {
    const hint = 'write `tool: {kind: …}`, or a list of tools';
    report.add('NT2051', at, `the iterator \`${name}\` has no body: what runs for each item`, hint);
  }
  return {
    ...task,
    fields: [],
    ...(spec === undefined ? {} : { spec: without(spec, OF_LOOP) }),
    ...compact({ loop }),
    body: tasks,
  };
}

function readBody(body: MapEntry, name: string, tool: MapNode, place: TaskPlace): TaskDoc[] {
  const { value } = body;
  const inner: TaskPlace = { ...place, name: `${name}_item`, single: true, step: tool, inputs: [] };
  if (value.kind === 'map') return readItem(value, inner);
  const items = value.kind === 'list' ? value.items : [];
  if (items.length === 0)
    place.report.add('NT2005', body.at, `\`${body.key}\` has no tools`, 'write `tool: {kind: …}`');
  return items.flatMap((item, i) =>
    item.kind === 'map' ? readItem(item, { ...inner, name: `${name}_task_${i}`, single: false }) : [],
  );
}

const AFTER_LOOP: ReadonlySet<string> = new Set(['set', 'set_ctx', 'set_iter']);

/** A task with its own `loop`: wrapped in an iterator of the same name. Its writes happen after the loop. */
function readLooped({ tool, place, at, label }: WrittenTool): TaskDoc | undefined {
  const { report } = place;
  const loopEntry = entry(tool, 'loop')!;
  const loop = readLoop(loopEntry, report);
  const kept = tool.entries.filter((each) => each !== loopEntry && !AFTER_LOOP.has(each.key));
  const inner = readTask({ ...tool, entries: kept }, place, label);
  if (inner === undefined) return undefined;
  const name = `${inner.name}_item`;
  const rules = inner.rules?.map((rule) =>
    rule.to?.name === inner.name ? { ...rule, to: { ...rule.to, name } } : rule,
  );
  return {
    name: inner.name,
    at,
    kind: 'iterator',
    fields: [],
    inputs: [],
    writes: writesOf(tool, report),
    ...compact({ loop }),
    body: [{ ...inner, name, ...compact({ rules }) }],
    ...compact({ stands: place.stands }),
  };
}

/** A tool of a list, or a single one; list items may be tasks with a label. */
export function readItem(item: MapNode, place: TaskPlace): TaskDoc[] {
  const { report } = place;
  const label = labelled(item);
  if (label !== undefined) {
    report.add('NT5001', label.at, `the task \`${label.key}\` is written as a label`, {
      hint: `write \`- name: ${label.key}\` with the fields beside it`,
      ...labelAsName,
    });
  }
  const written = readIteratorAsLoop(label?.value.kind === 'map' ? label.value : item, report);
  const task = readTask(checkSchemaShape(written, TOOL, report), place, label);
  return task === undefined ? [] : [task];
}

/** A call of a workbook task: replaced by the task, with the name and inputs of the call. */
function readCall(written: WrittenTool): TaskDoc | undefined {
  const call = asMeantTool(written);
  const { tool, place, at, label } = call;
  checkFields(call, toolFields(call));
  const inlined = resolveCall(call);
  if (inlined === undefined) return undefined;
  const task = readTask(inlined.tool, { ...place, single: false, step: inlined.step });
  const own = place.single ? undefined : asText(presentValue(tool, 'name'));
  const name = label?.key ?? own ?? place.name;
  const { inputs, given, writes } = inlined;
  return task && { ...task, name, at, inputs, ...(given && { given }), writes };
}

function readTool(given: WrittenTool): TaskDoc {
  const spec = asMap(presentValue(given.tool, 'spec'));
  const written = asMeantTool(given, spec);
  const { tool, kind, declared, place, at, label } = written;
  const { report } = place;
  const fields = toolFields(written, spec);
  checkFields(written, fields);
  if (declared.modules !== undefined) reportDistributions(presentValue(tool, declared.modules), report);
  const own = ownName(tool, kind, place);
  const policy = spec === undefined ? undefined : entry(spec, 'policy');
  const rules = readPolicy(policy, report);
  const inputs = laidOver(toolInputs(tool, report, kind === 'playbook' ? ['payload'] : []), place.inputs);
  const when = kind === 'wait' ? fields.find((each) => each.key === 'when') : undefined;
  const filled = storing(
    written,
    fields.filter((each) => each !== when),
    inputs,
  );
  const retry = readTaskRetry(tool, { kind, fields: filled.fields, inputs }, rules, place);
  const sink = entry(tool, 'sink');
  const sinks = sink === undefined ? [] : place.asides.read(sink, place, { kind: 'sink' });
  if (sink !== undefined) report.older(sink.at, SINK_AS_TASK);
  return {
    name: label?.key ?? own?.name ?? place.name,
    at: label?.at ?? own?.at ?? at,
    kind,
    ...filled,
    ...(spec === undefined ? {} : { spec: withoutFields(spec, declared) }),
    ...compact({ rules, retry }),
    ...compact({ unmatched: asText(child(asMap(policy?.value), 'on_unmatched')) as TaskDoc['unmatched'] }),
    ...(sinks.length > 0 && { sinks }),
    ...(when?.value.kind === 'scalar' && !isNull(when.value) ? { when: when.value } : {}),
    writes: writesOf(tool, report),
  };
}

/** `retry` of the tool, or of the step for all its tools; not allowed with rules. */
function readTaskRetry(
  tool: MapNode,
  call: Pick<TaskDoc, 'kind' | 'fields' | 'inputs'>,
  rules: TaskDoc['rules'],
  place: TaskPlace,
): TaskDoc['retry'] {
  const { report } = place;
  const own = entry(tool, 'retry');
  // A step's `retry` repeats the calls inside an iterator, not the iterator.
  const retry = own ?? (call.kind === 'iterator' ? undefined : place.retry);
  if (retry === undefined || isNull(retry.value)) return undefined;
  report.older(retry.at, retryRules);
  if (own !== undefined && place.retry !== undefined) {
    report.add('NT2006', own.at, '`retry` is set on the step and on its tool', 'keep one of the two');
  }
  if (rules !== undefined) {
    report.add(
      'NT2006',
      retry.at,
      '`retry` and `spec.policy.rules` both handle the outcome of the tool',
      'keep the rules',
    );
  }
  const sinks = (sink: MapEntry): string[] => place.asides.read(sink, place, { kind: 'retrySink' });
  const tools = overridden([call], place);
  return readRetry(retry, tools, { tools, sinks }, report);
}

function laidOver(inputs: readonly MapEntry[], over: readonly MapEntry[] | undefined): readonly MapEntry[] {
  if (over === undefined || over.length === 0) return inputs;
  return [...inputs.filter((each) => !over.some((other) => other.key === each.key)), ...over];
}

/** A task's own name; in a single tool of kind `playbook`, `name` is the called playbook. */
function ownName(tool: MapNode, kind: string, place: TaskPlace): { name: string; at: Located } | undefined {
  const node = presentValue(tool, 'name');
  const name = asText(node);
  if (node === undefined || name === undefined) return undefined;
  if (place.single && kind === 'playbook' && entry(tool, 'path') === undefined) return undefined;
  return { name, at: node };
}

function readPolicy(policy: MapEntry | undefined, report: Report): TaskDoc['rules'] {
  if (policy === undefined || isNull(policy.value)) return undefined;
  const hint = 'write `policy: {rules: [{when: "{{ … }}", then: {do: …}}]}`';
  const map = asMap(policy.value);
  const rules = entry(map, 'rules');
  if (map === undefined || rules === undefined || isNull(rules.value)) {
    report.add(
      'NT2037',
      rules?.at ?? policy.at,
      'the policy of a task is a mapping with a list `rules`',
      hint,
    );
    return undefined;
  }
  const list = asList(rules.value);
  return list === undefined ? undefined : readRules(list, report);
}

/** The mapping of a labelled task (`- label: {kind: …}`), or undefined. */
export function labelled(item: MapNode): MapEntry | undefined {
  const [only] = item.entries;
  if (item.entries.length !== 1 || only === undefined || only.value.kind !== 'map') return undefined;
  return child(only.value, 'kind') === undefined && Object.hasOwn(TASK_FIELDS, only.key) ? undefined : only;
}
