import { closest, oneOfText, suggestionOf } from '../diagnostics/suggest';
import { TASK_FIELDS, type ToolKind } from '../kinds';
import { checkType, head } from '../schema/check';
import { typeOfField } from '../schema/field-types';
import { TOOL_WORDS, wordIn } from '../schema/words';
import { givesInputs } from '../vocabulary/inputs';
import { type MapEntry, isNull, type MapNode } from '../yaml/node';
import { type WrittenTool } from './document';

/** Keys of a task's spec that apply to every tool and are never its fields. */
const SPEC_KNOBS = new Set([
  'policy',
  'timeout',
  'timeout_s',
  'timeout_seconds',
  'pool',
  'delivery',
  'rate_limit',
  'priority',
  'fairness',
  'sensitive',
  'cache',
  'sandbox',
]);

/** Old or foreign keys of a tool that have another meaning now. */
const OWN_KEYS = new Set([
  ...Object.keys(TASK_FIELDS).filter((key) => key !== 'output'),
  'eval',
  'expr',
  'pipe',
  'case',
  'vars',
]);

/** The fields of a tool: beside its kind, and in its spec. */
export function toolFields({ tool, kind, declared }: WrittenTool, spec?: MapNode): MapEntry[] {
  const own = tool.entries.filter(
    (each) =>
      (Object.hasOwn(declared.fields, each.key) || !OWN_KEYS.has(each.key)) &&
      !(kind === 'playbook' && each.key === 'payload' && each.value.kind === 'map'),
  );
  const direct = own.filter(
    (each) =>
      !(each.key === 'args' && each.value.kind === 'map') && !(kind !== 'playbook' && each.key === 'name'),
  );
  const moved = (spec?.entries ?? []).filter(
    (each) =>
      !givesInputs(each) &&
      isToolField(each.key, declared) &&
      !direct.some((field) => field.key === each.key),
  );
  return [...direct, ...moved];
}

function isToolField(key: string, declared: ToolKind): boolean {
  return Object.hasOwn(declared.fields, key) && !SPEC_KNOBS.has(key);
}

/** The spec without the tool's fields. */
export function withoutFields(spec: MapNode, declared: ToolKind): MapNode {
  return {
    ...spec,
    entries: spec.entries.filter((each) => !givesInputs(each) && !isToolField(each.key, declared)),
  };
}

/** Reports missing, duplicate, misspelt and misplaced fields of a tool. */
export function checkFields({ tool, kind, declared, place }: WrittenTool, fields: readonly MapEntry[]): void {
  const { report } = place;
  const has = (key: string) => fields.find((each) => each.key === key && !isEmpty(each));
  for (const group of declared.exclusive ?? []) {
    const [first, second] = group.map(has).filter((each) => each !== undefined);
    if (first !== undefined && second !== undefined) {
      report.add(
        'NT2006',
        second.at,
        `\`${first.key}\` and \`${second.key}\` of \`${kind}\` exclude each other`,
        'keep one of the two',
      );
    }
  }
  for (const { key, value } of fields) {
    if (!Object.hasOwn(declared.fields, key) || isNull(value)) continue;
    checkType(value, typeOfField(declared, key), `\`${key}\``, report);
  }
  const names = [...Object.keys(declared.fields), ...Object.keys(TASK_FIELDS)];
  for (const each of tool.entries) {
    const { key, at } = each;
    if (names.includes(key) || OWN_KEYS.has(key)) continue;
    const word = declared.closed ? wordIn(TOOL_WORDS, key) : undefined;
    const foreign = typeof word === 'object' ? word.write : undefined;
    const suggestion =
      typeof word === 'string' && names.includes(word)
        ? word
        : foreign === undefined
          ? closest(key, names)
          : undefined;
    const hint = suggestionOf(key, suggestion, names);
    if (
      suggestion !== undefined &&
      declared.fields[suggestion] !== undefined &&
      declared.required.flat().includes(suggestion) &&
      has(suggestion) === undefined
    ) {
      report.add('NT2001', at, `\`${key}\` is not a field of \`${kind}\``, hint);
      each.key = suggestion;
    } else if (declared.closed || suggestion !== undefined) {
      report.add('NT2052', at, `\`${kind}\` does not read \`${key}\``, hint ?? foreign ?? fieldsOf(declared));
    }
  }
  for (const group of declared.required) {
    if (group.some((key) => has(key) !== undefined)) continue;
    const beside =
      place.step === tool ? undefined : place.step.entries.find((each) => group.includes(each.key));
    const hint =
      beside === undefined
        ? undefined
        : `\`${beside.key}\` is beside \`tool\`; it belongs under \`tool\`, indented`;
    const what = group.length === 1 ? `\`${group[0]}\`` : `one of ${oneOfText(group)}`;
    report.add(
      'NT2051',
      fields.find((each) => group.includes(each.key))?.at ?? head(tool),
      `\`${kind}\` needs ${what}`,
      hint,
    );
  }
}

function isEmpty(each: MapEntry): boolean {
  return isNull(each.value) || (each.value.kind === 'scalar' && each.value.value === '');
}

/** The fields of a kind as text, if there are not too many. */
function fieldsOf({ fields }: ToolKind): string {
  const names = Object.keys(fields);
  return names.length > 15
    ? 'docs/reference/tools.md lists the fields of each kind'
    : `it reads ${oneOfText(names)}`;
}
