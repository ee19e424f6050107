import { type Located, type Report } from '../diagnostics/diagnostic';
import { closest, oneOf } from '../diagnostics/suggest';
import { KINDS, TASK_FIELDS, type ToolKind } from '../kinds';
import { head } from '../schema/check';
import { inputsOf } from '../vocabulary/inputs';
import { writesOf } from '../vocabulary/writes';
import { asList, asMap, asText, child, entry, type Entry, isNull, type MapNode, present } from '../yaml/node';
import { type TaskDoc, type TaskPlace } from './document';
import { readRetry } from './retry';
import { readRules } from './rules';
import { storing } from './storing';
import { resolveCall } from './workbook';

/** Keys of a task's spec that are knobs of every tool, never fields of one. */
const SPEC_KNOBS = new Set([
  'policy',
  'timeout',
  'timeout_s',
  'timeout_seconds',
  'pool',
  'delivery',
  'sensitive',
]);

/** Old or foreign keys that stand at a tool and mean something else now. */
const OWN_KEYS = new Set([
  ...Object.keys(TASK_FIELDS).filter((key) => key !== 'output'),
  'eval',
  'expr',
  'pipe',
  'loop',
  'case',
  'vars',
]);

/** Reads one tool mapping; undefined (and reported) where it is none. */
export function readTask(
  tool: MapNode,
  place: TaskPlace,
  report: Report,
  label?: Entry,
): TaskDoc | undefined {
  const kindNode = present(tool, 'kind');
  const kind = asText(kindNode);
  const at = label?.at ?? head(tool);
  if (kind === undefined) {
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
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (known === undefined) {
    const meant = closest(kind, Object.keys(KINDS));
    const hint =
      meant === undefined ? `the kinds are ${oneOf(Object.keys(KINDS))}` : `did you mean \`${meant}\`?`;
    report.add('NT2050', kindNode!, `no tool is of kind \`${kind}\``, hint);
    return undefined;
  }
  if (kind === 'workbook') return readCall(tool, place, at, report, label);
  return readTool(tool, kind, known, place, at, report, label);
}

/** A call of a workbook task: the task itself, under the name and with the inputs of the call. */
function readCall(
  call: MapNode,
  place: TaskPlace,
  at: Located,
  report: Report,
  label: Entry | undefined,
): TaskDoc | undefined {
  const inlined = resolveCall(call, place, at, report);
  if (inlined === undefined) return undefined;
  const task = readTask(inlined.tool, { ...place, single: false, step: inlined.step }, report);
  const own = place.single ? undefined : asText(present(call, 'name'));
  const name = label?.key ?? own ?? place.name;
  return task && { ...task, name, at: label?.at ?? at, inputs: inlined.inputs, writes: inlined.writes };
}

function readTool(
  tool: MapNode,
  kind: string,
  known: ToolKind,
  place: TaskPlace,
  at: Located,
  report: Report,
  label: Entry | undefined,
): TaskDoc {
  const spec = asMap(present(tool, 'spec'));
  const fields = toolFields(tool, spec, kind, known);
  checkFields(tool, kind, known, fields, place, report);
  const own = ownName(tool, kind, place);
  const policy = spec === undefined ? undefined : entry(spec, 'policy');
  const rules = readPolicy(policy, report);
  const inputs = laidOver(inputsOf(tool, report, kind === 'playbook' ? ['payload'] : []), place.inputs);
  const filled = storing(kind, fields, inputs, place, report);
  const retry = readTaskRetry(tool, { kind, fields: filled.fields }, rules, place, report);
  const sink = entry(tool, 'sink');
  const sinks = sink === undefined ? [] : place.asides.read(sink, place, { kind: 'sink' }, report);
  return {
    name: label?.key ?? own?.name ?? place.name,
    at: label?.at ?? own?.at ?? at,
    kind,
    ...filled,
    ...(spec === undefined ? {} : { spec: withoutFields(spec, known) }),
    ...(rules === undefined ? {} : { rules }),
    ...(retry === undefined ? {} : { retry }),
    ...(sinks.length === 0 ? {} : { sinks }),
    writes: writesOf(tool, report),
  };
}

/** `retry` of the tool, or that of the step, which all its tools repeat by; never beside rules (D1). */
function readTaskRetry(
  tool: MapNode,
  call: Pick<TaskDoc, 'kind' | 'fields'>,
  rules: TaskDoc['rules'],
  place: TaskPlace,
  report: Report,
): TaskDoc['retry'] {
  const own = entry(tool, 'retry');
  const retry = own ?? place.retry;
  if (retry === undefined || isNull(retry.value)) return undefined;
  if (own !== undefined && place.retry !== undefined) {
    report.add('NT2006', own.at, '`retry` stands at the step and at its tool', 'keep one of the two');
  }
  if (rules !== undefined) {
    report.add(
      'NT2006',
      retry.at,
      '`retry` and `spec.policy.rules` both answer the outcome of the tool',
      'keep the rules',
    );
  }
  const sinks = (sink: Entry): string[] => place.asides.read(sink, place, { kind: 'retrySink' }, report);
  return readRetry(retry, [call], { tools: [call], sinks }, report);
}

function laidOver(inputs: readonly Entry[], over: readonly Entry[] | undefined): readonly Entry[] {
  if (over === undefined || over.length === 0) return inputs;
  return [...inputs.filter((each) => !over.some((other) => other.key === each.key)), ...over];
}

/** The name a task gives itself; in a single tool of kind `playbook`, `name` is the playbook that is called. */
function ownName(tool: MapNode, kind: string, place: TaskPlace): { name: string; at: Located } | undefined {
  const node = present(tool, 'name');
  const name = asText(node);
  if (node === undefined || name === undefined) return undefined;
  if (place.single && kind === 'playbook' && entry(tool, 'path') === undefined) return undefined;
  return { name, at: node };
}

function toolFields(tool: MapNode, spec: MapNode | undefined, kind: string, known: ToolKind): Entry[] {
  const own = tool.entries.filter(
    (each) =>
      (Object.hasOwn(known.fields, each.key) || !OWN_KEYS.has(each.key)) &&
      !(kind === 'playbook' && each.key === 'payload' && each.value.kind === 'map'),
  );
  const direct = own.filter(
    (each) =>
      !(each.key === 'args' && each.value.kind === 'map') && !(kind !== 'playbook' && each.key === 'name'),
  );
  const moved = (spec?.entries ?? []).filter(
    (each) => isToolField(each.key, known) && !direct.some((field) => field.key === each.key),
  );
  return [...direct, ...moved];
}

function isToolField(key: string, known: ToolKind): boolean {
  return Object.hasOwn(known.fields, key) && !SPEC_KNOBS.has(key);
}

function withoutFields(spec: MapNode, known: ToolKind): MapNode {
  return { ...spec, entries: spec.entries.filter((each) => !isToolField(each.key, known)) };
}

function readPolicy(policy: Entry | undefined, report: Report): TaskDoc['rules'] {
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

/** Missing, doubled, misspelt and misplaced fields of one tool. */
function checkFields(
  tool: MapNode,
  kind: string,
  known: ToolKind,
  fields: readonly Entry[],
  place: TaskPlace,
  report: Report,
): void {
  const has = (key: string): Entry | undefined => fields.find((each) => each.key === key && !isEmpty(each));
  for (const group of known.exclusive ?? []) {
    const [first, second] = group.map(has).filter((each) => each !== undefined);
    if (first !== undefined && second !== undefined) {
      report.add(
        'NT2006',
        second.at,
        `\`${first.key}\` and \`${second.key}\` of \`${kind}\` are two names of one thing`,
        'keep one of the two',
      );
    }
  }
  const names = [...Object.keys(known.fields), ...Object.keys(TASK_FIELDS)];
  for (const each of tool.entries) {
    const { key, at } = each;
    if (names.includes(key) || OWN_KEYS.has(key)) continue;
    const meant = closest(key, names);
    if (
      meant !== undefined &&
      known.fields[meant] !== undefined &&
      known.required.flat().includes(meant) &&
      has(meant) === undefined
    ) {
      report.add('NT2001', at, `\`${key}\` is no field of \`${kind}\``, `did you mean \`${meant}\`?`);
      each.key = meant;
    } else if (known.closed || meant !== undefined) {
      const hint =
        meant === undefined ? `it reads ${oneOf(Object.keys(known.fields))}` : `did you mean \`${meant}\`?`;
      report.add('NT2052', at, `\`${kind}\` does not read \`${key}\``, hint);
    }
  }
  for (const group of known.required) {
    if (group.some((key) => has(key) !== undefined)) continue;
    const beside =
      place.step === tool ? undefined : place.step.entries.find((each) => group.includes(each.key));
    const hint =
      beside === undefined
        ? undefined
        : `\`${beside.key}\` stands beside \`tool\`; it belongs under \`tool\`, indented`;
    const what = group.length === 1 ? `\`${group[0]}\`` : `one of ${oneOf(group)}`;
    report.add(
      'NT2051',
      fields.find((each) => group.includes(each.key))?.at ?? head(tool),
      `\`${kind}\` needs ${what}`,
      hint,
    );
  }
}

function isEmpty(each: Entry): boolean {
  return isNull(each.value) || (each.value.kind === 'scalar' && each.value.value === '');
}

/** The mapping of a labelled task (`- label: {kind: …}`), or undefined. */
export function labelled(item: MapNode): Entry | undefined {
  const [only] = item.entries;
  if (item.entries.length !== 1 || only === undefined || only.value.kind !== 'map') return undefined;
  return child(only.value, 'kind') === undefined && Object.hasOwn(TASK_FIELDS, only.key) ? undefined : only;
}
