/** The JSON Schema of rehearsal files, generated from the checker's tables. */
import { type JsonSchema, schemaIdentity, shapeSchemas, sorted } from '../../../language/dsl/format';
import { CALLS_EXPECTED, EXPECT, REHEARSAL_FILE } from './shapes';

/**
 * Draft 07, for editors (`# yaml-language-server: $schema=FILE`). It cannot express what depends on the playbook.
 */
export function rehearsalSchema(): JsonSchema {
  const { ofShape, definitions } = shapeSchemas((shape, key) => {
    if (shape !== EXPECT || key !== 'calls') return undefined;
    return { type: ['object', 'null'], additionalProperties: CALLS };
  });
  const root = ofShape(REHEARSAL_FILE);
  // List entries, and numbered keys of a mapping, are calls too.
  const calls = ofShape(CALLS_EXPECTED);
  definitions.set('calls', { ...calls, patternProperties: { '^[1-9][0-9]*$': CALL } });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schemaIdentity('rehearsal'),
    $comment: 'Made from the tables of src/offline/rehearsal; do not edit.',
    title: 'NoETL rehearsal',
    description: 'Tests of a playbook with mocked tasks: `noetl-temporal test FILE`.',
    ...root,
    type: 'object',
    definitions: sorted(definitions),
  };
}

const CALL: JsonSchema = { $ref: '#/definitions/expected_call' };

const CALLS: JsonSchema = {
  anyOf: [
    { type: ['integer', 'string'], description: 'How often the task is called.' },
    { type: 'array', items: CALL, description: 'Every call.' },
    { $ref: '#/definitions/calls' },
  ],
};
