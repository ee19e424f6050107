import { INPUT_TYPES } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type MapNode } from '../yaml/node';
import { checkShape } from './check';
import { type Shape, type Type } from './shape';

const TYPE: Type = { values: INPUT_TYPES };
const NUMBER: Type = 'amount';

/** The declaration of an input, as in JSON Schema (docs/rest.md). */
const INPUT: Shape = {
  title: 'an input',
  others: 'warning',
  fields: {
    type: { type: { either: [TYPE, { list: TYPE }] }, doc: 'Its type, or several types.' },
    required: { type: 'boolean', doc: 'Whether it must be provided or have a default.' },
    secret: { type: 'boolean', doc: 'Whether it is stored encrypted and never shown.' },
    description: { type: 'text', doc: 'A description for the person who fills it in.' },
    credential: { type: 'name', doc: 'It names a credential that matches this pattern, e.g. `pg_*`.' },
    enum: { type: { list: 'any' }, doc: 'The allowed values.' },
    options: { type: { list: 'any' }, doc: 'Alias of `enum`.' },
    minimum: { type: NUMBER, doc: 'The minimum.' },
    maximum: { type: NUMBER, doc: 'The maximum.' },
    minLength: { type: NUMBER, doc: 'The minimum length, in characters.' },
    maxLength: { type: NUMBER, doc: 'The maximum length, in characters.' },
    items: { type: { shape: () => INPUT }, doc: 'The items of a list.' },
    properties: { type: 'mapping', doc: 'The keys of a mapping, each an input.' },
  },
};

/** Checks a mapping from names to inputs, `metadata.workload`. */
export function checkInputsShape(inputs: MapNode, report: Report): void {
  const named: Shape = {
    title: 'the inputs',
    others: 'open',
    fields: Object.fromEntries(
      inputs.entries.map(({ key }) => [key, { type: { shape: () => INPUT }, doc: 'An input.' }]),
    ),
  };
  checkShape(inputs, named, report);
  for (const { value } of inputs.entries) if (value.kind === 'map') checkParts(value, report);
}

function checkParts(input: MapNode, report: Report): void {
  for (const { key, value } of input.entries) {
    if (value.kind !== 'map') continue;
    if (key === 'properties') checkInputsShape(value, report);
    if (key === 'items') checkParts(value, report);
  }
}
