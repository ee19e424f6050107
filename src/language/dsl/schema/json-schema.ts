import { KINDS, type ToolKinds } from '../kinds';
import { PLAYBOOK } from './playbook';
import { type SchemaShape } from './shape';
import { schemaIdentity, shapeSchemas, sorted } from './shape-schema';
import { STEP } from './step';
import { type SchemaJson, toolSchemas } from './json-schema-tools';

/**
 * The JSON Schema of a playbook, generated from the checker's tables. Draft 07, which yaml-language-server supports
 * best, with editor keywords (`deprecationMessage`, `doNotSuggest`, `enumDescriptions`) that validators ignore.
 *
 * Ineffective keys, for which the compiler only warns, are errors here, because a schema has no warnings. Names,
 * expressions and the graph of steps cannot be checked.
 *
 * @param extensions kinds of extension modules
 */
export function playbookSchema(extensions: ToolKinds = new Map()): SchemaJson {
  /** Parts checked by the compiler's code rather than its tables. */
  function special(shape: SchemaShape, key: string): SchemaJson | undefined {
    if (shape === PLAYBOOK && key === 'apiVersion') return { enum: ['noetl.io/v2', 'noetl.io/v10'] };
    if (shape === PLAYBOOK && key === 'kind') return { enum: ['Playbook', 'Agent'] };
    if (shape === PLAYBOOK && key === 'workbook') return WORKBOOK;
    if (shape === STEP && key === 'tool') return TOOLS;
    return undefined;
  }

  const { ofShape, definitions } = shapeSchemas(special);
  const root = ofShape(PLAYBOOK);
  const kinds = { ...KINDS, ...Object.fromEntries(extensions) };
  for (const [name, schema] of Object.entries(toolSchemas(ofShape, kinds))) definitions.set(name, schema);
  definitions.set('workbook_task', WORKBOOK_TASK);
  const loop = definitions.get('loop')!;
  definitions.set('loop', { ...loop, ...LOOP_IS_WHOLE });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schemaIdentity('playbook'),
    $comment: 'Made from the tables of src/language/dsl; do not edit.',
    title: 'NoETL playbook',
    description: 'A playbook of the NoETL language, `noetl.io/v2`.',
    ...root,
    type: 'object',
    // Older playbooks have the name at the root.
    if: { not: { required: ['name'] } },
    allOf: [DECLARED],
    then: { required: ['metadata'], properties: { metadata: { type: 'object', required: ['name'] } } },
    definitions: sorted(definitions),
  };
}

/** Only a playbook that declares kinds may use tools of others (docs/extensions.md). */
const DECLARED: SchemaJson = {
  if: {
    required: ['executor'],
    properties: {
      executor: {
        type: 'object',
        required: ['spec'],
        properties: { spec: { type: 'object', required: ['extensions'] } },
      },
    },
  },
  else: {
    properties: { workflow: { items: { properties: { tool: { $ref: '#/definitions/known_tool' } } } } },
  },
};

const TASK = { $ref: '#/definitions/task' };

/** One tool, or a list of tasks; list items may be tasks with a label. */
const TOOLS: SchemaJson = {
  anyOf: [{ $ref: '#/definitions/tool' }, { type: 'array', minItems: 1, items: TASK }],
};

const WORKBOOK: SchemaJson = {
  anyOf: [
    {
      type: 'array',
      items: { type: 'object', required: ['name'], allOf: [{ $ref: '#/definitions/workbook_task' }] },
    },
    { type: 'object', additionalProperties: { $ref: '#/definitions/workbook_task' } },
    { type: 'null' },
  ],
};

/** A workbook task contains a tool, or is one. */
const WORKBOOK_TASK: SchemaJson = {
  type: 'object',
  properties: { name: { type: 'string', description: 'The name by which steps call the task.' } },
  if: { required: ['tool'] },
  then: { properties: { tool: { $ref: '#/definitions/tool' } } },
  else: { $ref: '#/definitions/tool' },
};

const LOOP_IS_WHOLE: SchemaJson = {
  if: { type: 'object', not: { required: ['cursor'] } },
  then: { required: ['in', 'iterator'] },
};
