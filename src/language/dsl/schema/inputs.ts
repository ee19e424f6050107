import { INPUT_TYPES } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type MapNode } from '../yaml/node';
import { checkSchemaShape } from './check';
import { type SchemaShape, shape, type Type } from './shape';
import * as field from './fields';

const TYPE: Type = { values: INPUT_TYPES };
const NUMBER: Type = 'amount';

/** The declaration of an input, as in JSON Schema (docs/rest.md). */
const INPUT: SchemaShape = shape('an input', 'warning', {
  type: field.either([TYPE, { list: TYPE }], 'Its type, or several types.'),
  required: field.boolean('Whether it must be provided or have a default.'),
  secret: field.boolean('Whether it is stored encrypted and never shown.'),
  description: field.anyTextField('A description for the person who fills it in.'),
  credential: field.name('It names a credential that matches this pattern, e.g. `pg_*`.'),
  enum: field.listField('any', 'The allowed values.'),
  options: field.listField('any', 'Alias of `enum`.'),
  minimum: field.of(NUMBER, 'The minimum.'),
  maximum: field.of(NUMBER, 'The maximum.'),
  minLength: field.of(NUMBER, 'The minimum length, in characters.'),
  maxLength: field.of(NUMBER, 'The maximum length, in characters.'),
  items: field.nestedField(() => INPUT, 'The items of a list.'),
  properties: field.anyMappingField('The keys of a mapping, each an input.'),
  additionalProperties: field.either(
    ['boolean', 'mapping'],
    '`false`: the mapping has no keys but those of `properties`.',
  ),
});

/** The field of a form: answers are in history. */
export const FORM_FIELD: SchemaShape = {
  ...INPUT,
  title: 'a field of a form',
  fields: {
    ...INPUT.fields,
    enum: field.either(['template', { list: 'any' }], 'The allowed values.'),
    label: field.anyTextField('What the form calls it.'),
    default: field.any('Its value unless the answer has another.'),
  },
};

/** Checks a mapping from names to inputs, `metadata.workload`, or to fields of a form. */
export function checkInputsShape(inputs: MapNode, report: Report, declared = INPUT): void {
  const named: SchemaShape = shape(
    'the inputs',
    'open',
    Object.fromEntries(
      inputs.entries.map(({ key }) => [key, field.nestedField(() => declared, 'An input.')]),
    ),
  );
  checkSchemaShape(inputs, named, report);
  for (const { value } of inputs.entries) if (value.kind === 'map') checkParts(value, report);
}

function checkParts(input: MapNode, report: Report): void {
  for (const { key, value } of input.entries) {
    if (value.kind !== 'map') continue;
    if (key === 'properties') checkInputsShape(value, report);
    if (key === 'items') checkParts(value, report);
  }
}
