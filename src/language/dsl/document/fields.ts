import { type Report } from '../diagnostics/diagnostic';
import { closest, oneOfText, suggestionOf } from '../diagnostics/suggest';
import { TASK_FIELDS, type ToolKind } from '../kinds';
import { checkType, head, reportPlaceholder } from '../schema/check';
import { typeOfField } from '../schema/field-types';
import { OUTPUT } from '../schema/fields';
import { TOOL_WORDS, wordIn } from '../schema/words';
import { givesInputs } from '../vocabulary/inputs';
import { entry, type MapEntry, isNull, type MapNode } from '../yaml/node';
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
const OWN_KEYS = new Set([...Object.keys(TASK_FIELDS), 'eval', 'expr', 'pipe', 'case', 'vars']);

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

/**
 * Reports fields that the kind does not read.
 *
 * @returns the tool as it is meant: a misspelt key whose field is required and missing is that field
 */
export function asMeantTool(written: WrittenTool, spec?: MapNode): WrittenTool {
  const { tool, kind, declared, place } = written;
  const { report } = place;
  const given = toolFields(written, spec);
  const missing = new Set(declared.required.flat().filter((key) => !hasField(given, key)));
  const names = [...Object.keys(declared.fields), ...Object.keys(TASK_FIELDS)];
  const entries = tool.entries.map((each) => {
    const { key, at } = each;
    if (names.includes(key) || OWN_KEYS.has(key)) return each;
    const word = declared.closed ? wordIn(TOOL_WORDS, key) : undefined;
    const foreign = typeof word === 'object' ? word.write : undefined;
    const suggestion =
      typeof word === 'string' && names.includes(word)
        ? word
        : foreign === undefined
          ? closest(key, names)
          : undefined;
    const hint = suggestionOf(key, suggestion, names);
    if (suggestion !== undefined && missing.delete(suggestion)) {
      report.add('NT2001', at, `\`${key}\` is not a field of \`${kind}\``, hint);
      return { ...each, key: suggestion };
    }
    if (declared.closed || suggestion !== undefined) {
      report.add('NT2052', at, `\`${kind}\` does not read \`${key}\``, hint ?? foreign ?? fieldsOf(declared));
    }
    return each;
  });
  return { ...written, tool: { ...tool, entries } };
}

function hasField(fields: readonly MapEntry[], key: string): MapEntry | undefined {
  return fields.find((each) => each.key === key && !isEmpty(each));
}

/** Reports missing, duplicate and misplaced fields of a tool. */
export function checkFields({ tool, kind, declared, place }: WrittenTool, fields: readonly MapEntry[]): void {
  const { report } = place;
  const has = (key: string) => hasField(fields, key);
  checkExclusive(declared, kind, has, report);
  for (const { key, value } of fields) {
    if (!Object.hasOwn(declared.fields, key) || isNull(value)) continue;
    checkType(value, typeOfField(declared, key), `\`${key}\``, report);
  }
  reportOutput(tool, declared, report);
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

function checkExclusive(
  declared: ToolKind,
  kind: string,
  has: (key: string) => MapEntry | undefined,
  report: Report,
): void {
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
}

function reportOutput(tool: MapNode, { fields }: ToolKind, report: Report): void {
  const output = entry(tool, 'output');
  if (output !== undefined && !Object.hasOwn(fields, 'output')) reportPlaceholder(output, OUTPUT, report);
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
