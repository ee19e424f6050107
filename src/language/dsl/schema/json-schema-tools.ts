import { TASK_FIELDS, type ToolKind } from '../kinds';
import { shapeOfKind } from './field-types';
import { type SchemaShape } from './shape';
import { TOOL } from './tool';

/** A JSON Schema, or a part of one. */
export type SchemaJson = Readonly<Record<string, unknown>>;

/**
 * The definitions `tool`, `task` and one `tool_<kind>` per kind. The kind selects the definition, so that an editor
 * completes only that kind's fields. `known_tool` allows only these kinds, none declared by a playbook.
 */
export function toolSchemas(
  ofShape: (shape: SchemaShape) => SchemaJson,
  kinds: Readonly<Record<string, ToolKind>>,
): Record<string, SchemaJson> {
  const common = commonProperties(ofShape);
  const names = Object.keys(kinds);
  const tool: SchemaJson = {
    type: 'object',
    required: ['kind'],
    properties: {
      ...common,
      kind: {
        description: 'The kind of tool.',
        anyOf: [
          { enum: names, enumDescriptions: names.map((name) => kinds[name]!.doc) },
          // A kind declared by the playbook; `known_tool` restricts this.
          { type: 'string' },
        ],
      },
    },
    allOf: names.map((name) => ({
      if: { properties: { kind: { const: name } }, required: ['kind'] },
      then: { $ref: `#/definitions/tool_${name}` },
    })),
  };
  return {
    tool,
    task: labelled('tool'),
    known_kind: { properties: { kind: { description: 'A built-in kind.', enum: names } } },
    known_task: labelled('known_kind'),
    known_tool: {
      if: { type: 'array' },
      then: { items: { $ref: '#/definitions/known_task' } },
      else: { $ref: '#/definitions/known_kind' },
    },
    ...Object.fromEntries(
      names.map((name) => [
        `tool_${name}`,
        ofKind(kinds[name]!, ofShape(shapeOfKind(name, kinds[name]!)), Object.keys(common)),
      ]),
    ),
  };
}

/** `- label: {kind: …}`, the old way to name a task in a list; anything else is a tool. */
function labelled(tool: string): SchemaJson {
  const $ref = `#/definitions/${tool}`;
  return {
    if: {
      type: 'object',
      maxProperties: 1,
      not: { anyOf: Object.keys(TASK_FIELDS).map((key) => ({ required: [key] })) },
    },
    then: { minProperties: 1, additionalProperties: { $ref } },
    else: { $ref },
  };
}

/** Fields of every kind, with the checker's types. */
function commonProperties(ofShape: (shape: SchemaShape) => SchemaJson): Record<string, SchemaJson> {
  const { properties } = ofShape(TOOL) as { properties: Record<string, SchemaJson> };
  const described = Object.entries(TASK_FIELDS).map(([key, description]): [string, SchemaJson] => [
    key,
    { ...properties[key], description },
  ]);
  return { ...properties, ...Object.fromEntries(described) };
}

/** The fields of one kind; a closed kind lists the common ones too, only to allow them. */
function ofKind(kind: ToolKind, typed: SchemaJson, common: readonly string[]): SchemaJson {
  const shared = common.filter((key) => !Object.hasOwn(kind.fields, key)).map((key) => [key, true]);
  const needs = kind.required.map((group) => ({
    anyOf: [
      ...[...group, ...(kind.named !== undefined && group.includes(kind.named) ? ['name'] : [])].map(
        requires,
      ),
      inSpec(group),
    ],
  }));
  const pairs = (kind.exclusive ?? []).flatMap((group) =>
    group.flatMap((one, i) => group.slice(i + 1).map((other) => ({ not: { required: [one, other] } }))),
  );
  const rules = [...needs, ...pairs];
  return {
    type: 'object',
    description: kind.doc,
    properties: {
      ...(typed.properties as SchemaJson),
      ...(kind.closed ? Object.fromEntries(shared) : {}),
    } as SchemaJson,
    ...(kind.closed ? { additionalProperties: false } : {}),
    ...(rules.length > 0 ? { allOf: rules } : {}),
  };
}

function requires(key: string): SchemaJson {
  return { required: [key] };
}

/** Tool fields may also be in its spec. */
function inSpec(group: readonly string[]): SchemaJson {
  return { required: ['spec'], properties: { spec: { type: 'object', anyOf: group.map(requires) } } };
}
