import { INPUT_TYPES } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type MapNode } from '../yaml/node';
import { checkShape } from './check';
import { type Shape, type Type } from './shape';

const TYPE: Type = { values: INPUT_TYPES };
const NUMBER: Type = 'amount';

/** What is known of one input, in the words of JSON Schema (docs/rest.md). */
const INPUT: Shape = {
  title: 'an input',
  others: 'warning',
  fields: {
    type: { type: { either: [TYPE, { list: TYPE }] }, doc: 'What it is: one type, or several.' },
    required: { type: 'boolean', doc: 'It has to be given, or to have a default.' },
    secret: { type: 'boolean', doc: 'It is stored encrypted, and shown nowhere.' },
    description: { type: 'text', doc: 'For whoever fills it in.' },
    credential: { type: 'name', doc: 'It names a credential; a pattern of names, e.g. `pg_*`.' },
    enum: { type: { list: 'any' }, doc: 'The values that it can have.' },
    options: { type: { list: 'any' }, doc: 'Another word for `enum`.' },
    minimum: { type: NUMBER, doc: 'The smallest number.' },
    maximum: { type: NUMBER, doc: 'The largest number.' },
    minLength: { type: NUMBER, doc: 'The shortest text, in characters.' },
    maxLength: { type: NUMBER, doc: 'The longest text, in characters.' },
    items: { type: { shape: () => INPUT }, doc: 'What the items of a list are.' },
    properties: { type: 'mapping', doc: 'What the keys of a mapping are, each an input.' },
  },
};

/** Reports what is wrong in a mapping from names to inputs, `metadata.workload`. */
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
