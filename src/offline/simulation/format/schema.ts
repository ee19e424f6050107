/** The JSON Schema of faults files, generated from the checker's tables. */
import { type JsonSchema, shapeSchemas, sorted } from '../../../language/dsl/format';
import { FAULTS, FAULTS_FILE } from './shapes';

/** Draft 07, for editors. It cannot express what depends on the playbook. */
export function faultsSchema(): JsonSchema {
  const { ofShape, definitions } = shapeSchemas((shape, key) =>
    shape === FAULTS_FILE && key === 'faults'
      ? { type: ['object', 'null'], additionalProperties: { $ref: '#/definitions/task_faults' } }
      : undefined,
  );
  const root = ofShape(FAULTS_FILE);
  definitions.set('task_faults', ofShape(FAULTS));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made from the tables of src/offline/simulation; do not edit.',
    title: 'NoETL faults',
    description: 'Faults and invariants of a simulation: `noetl-temporal simulate PLAYBOOK --faults FILE`.',
    ...root,
    type: 'object',
    definitions: sorted(definitions),
  };
}
