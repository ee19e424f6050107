/** What the language expects at a place of a playbook or rehearsal, read from the tables of the compiler. */
import { KINDS, type ToolKinds, toolKind } from '../../language/dsl/kinds';
import { type SchemaField, type SchemaShape, type Type } from '../../language/dsl/schema/shape';
import { shapeOfKind } from '../../language/dsl/schema/field-types';
import { PLAYBOOK } from '../../language/dsl/schema/playbook';
import { STEP } from '../../language/dsl/schema/step';
import { TOOL } from '../../language/dsl/schema/tool';
import { ITEM } from '../../language/dsl/sugar/shape';
import { REHEARSAL_FILE } from '../../offline/rehearsal/format/shapes';
import { type OutlineNode, scalarText, valueAt } from '../text/node';

export interface Expected {
  /** Alternatives for the value. */
  readonly types: readonly Type[];
  /** A tool, or a list of tools: the kind of each decides its keys. */
  readonly tool?: true;
  /** The field that says so. */
  readonly field?: SchemaField;
}

/** The keys of a mapping, and what they are called together: statistics of use are kept by this. */
export interface KeyTable {
  readonly title: string;
  readonly fields: Readonly<Record<string, SchemaField>>;
  /** Groups of which one each is required. */
  readonly required: readonly (readonly string[])[];
  /** Other keys are names of the author. */
  readonly open?: true;
}

const NOTHING: Expected = { types: [] };

export function rootExpected(root: OutlineNode): Expected {
  const isRehearsal = root.entries.some(
    ({ key }) => key === 'rehearsals' || key === 'playbook' || key === 'mocks',
  );
  return { types: [{ shape: () => (isRehearsal ? REHEARSAL_FILE : PLAYBOOK) }] };
}

function alternatives(types: readonly Type[]): Type[] {
  return types.flatMap((type) =>
    typeof type === 'object' && 'either' in type ? alternatives(type.either) : [type],
  );
}

function shapesOf(types: readonly Type[]): SchemaShape[] {
  return alternatives(types).flatMap((type) =>
    typeof type === 'object' && 'shape' in type ? [type.shape()] : [],
  );
}

/** The types of a value that is no mapping and no list. */
export function scalarTypes({ types }: Expected): Type[] {
  return alternatives(types).filter(
    (type) => typeof type === 'string' || 'values' in type || 'words' in type,
  );
}

/** What items of a list are. */
export function itemExpected(expected: Expected): Expected {
  if (expected.tool) return expected;
  const types = alternatives(expected.types).flatMap((type) =>
    typeof type === 'object' && 'list' in type ? [type.list] : [],
  );
  return { types, ...(expected.field && { field: expected.field }) };
}

/** What the value of a key is. */
export function valueExpected(expected: Expected, node: OutlineNode, key: string, where: TextOf): Expected {
  if (expected.tool) return toolValue(node, key, where);
  for (const shape of shapesOf(expected.types)) {
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (field === undefined) continue;
    const isTool =
      (shape === STEP && key === 'tool') ||
      (key === 'tool' && /sink/.test(shape.title)) ||
      (/choose|while|until/.test(shape.title) && ['then', 'else', 'do'].includes(key));
    if (shape === PLAYBOOK && key === 'workbook') return { types: WORKBOOK, field };
    return { types: [field.type], field, ...(isTool && { tool: true }) };
  }
  if (expected.types === WORKBOOK) return { types: [{ shape: () => WORKBOOK_TASK }] };
  return NOTHING;
}

/** The text, and the kinds of extensions. */
export interface TextOf {
  readonly text: string;
  readonly kinds: ToolKinds;
}

const BODY = ['tool', 'task', 'tasks', 'steps', 'pipeline'];

function toolValue(node: OutlineNode, key: string, where: TextOf): Expected {
  const kind = writtenKind(node, where.text);
  if (kind === undefined) {
    const field = ITEM.fields[key] ?? TOOL.fields[key];
    // `- label: {kind: …}`, the old way to name a task.
    return field === undefined ? { types: [], tool: true } : { types: [field.type], field };
  }
  const declared = toolKind(kind, where.kinds);
  if ((kind === 'iterator' && BODY.includes(key)) || declared?.sides?.includes(key))
    return { types: [], tool: true };
  const own = declared && shapeOfKind(kind, declared).fields[key];
  const field = key === 'name' && own ? { ...own, type: 'name' as const } : (own ?? TOOL.fields[key]);
  return field === undefined ? NOTHING : { types: [field.type], field };
}

export function writtenKind(node: OutlineNode, text: string): string | undefined {
  return scalarText(text, valueAt(node, 'kind'));
}

const KIND_FIELD: SchemaField = {
  ...TOOL.fields['kind'],
  type: 'name',
  doc: 'The kind of tool.',
  required: true,
};

const WORKBOOK_TASK: SchemaShape = {
  title: 'a workbook task',
  others: 'open',
  fields: {
    name: { type: 'name', doc: 'The name by which steps call the task.', required: true },
    tool: { type: 'mapping', doc: 'What it does.' },
  },
};
const WORKBOOK: readonly Type[] = [{ list: { shape: () => WORKBOOK_TASK } }, 'mapping'];

/** The keys that a mapping at this place may have. */
export function keysExpected(expected: Expected, node: OutlineNode, where: TextOf): KeyTable {
  if (expected.tool) return toolKeys(node, where);
  const shapes = shapesOf(expected.types);
  const fields = Object.assign({}, ...shapes.map((shape) => shape.fields)) as KeyTable['fields'];
  const required = Object.keys(fields).filter((key) => fields[key]?.required);
  const isOpen = shapes.length === 0 || shapes.every((shape) => shape.others === 'open');
  return {
    title: shapes.map(({ title }) => title).join(' or ') || (expected.field?.doc ?? ''),
    fields,
    required: required.map((key) => [key]),
    ...(isOpen && { open: true }),
  };
}

function toolKeys(node: OutlineNode, where: TextOf): KeyTable {
  const kind = writtenKind(node, where.text);
  const declared = kind === undefined ? undefined : toolKind(kind, where.kinds);
  if (kind === undefined || declared === undefined) {
    const fields = { ...TOOL.fields, ...ITEM.fields, kind: KIND_FIELD };
    return { title: 'a tool', fields, required: [['kind']] };
  }
  const fields = { ...TOOL.fields, ...shapeOfKind(kind, declared).fields, kind: KIND_FIELD };
  return { title: `a tool ${kind}`, fields, required: declared.required };
}

/** Every kind that a tool may have here, with what it does. */
export function kindDocs(kinds: ToolKinds): [string, string][] {
  return [...Object.entries(KINDS), ...kinds].map(([name, { doc }]) => [name, doc]);
}
