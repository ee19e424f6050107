/** Inputs of playbooks: checked before a run, and shown as fields of a form. */
import { type JsonObject } from '../../plan';
import { compile } from '../compile';
import { readResource } from '../resource';
import { checkInputs, inputSchemas } from '.';

const schemas = (workload: JsonObject): ReturnType<typeof inputSchemas> =>
  inputSchemas({ metadata: { workload } });

test.each<[schema: JsonObject, value: JsonObject[string], said: string | undefined]>([
  [{ type: 'integer' }, 3, undefined],
  [{ type: 'integer' }, 3.5, 'must be a whole number, not a number'],
  [{ type: 'integer' }, '3', 'must be a whole number, not a text'],
  [{ type: 'number', minimum: 0 }, -1, 'must be at least 0'],
  [{ type: ['string', 'array'] }, {}, 'must be a text or a list, not a mapping'],
  [{ type: 'boolean' }, null, undefined],
  [{ type: 'boolean', required: true }, null, 'is required'],
  [{ type: ['boolean', 'null'], required: true }, null, undefined],
  [{ enum: ['a', 1] }, 1, undefined],
  [{ enum: ['a', 1] }, '1', 'must be one of "a", 1'],
  [{ maxLength: 2 }, '🙂🙂', undefined],
  [{ maxLength: 2 }, 'abc', 'must have at most 2 characters'],
  [{ type: 'strnig' }, 1, undefined],
])('%j of %j: %s', (schema, value, said) => {
  expect(checkInputs(schemas({ key: schema }), {}, { key: value })).toEqual(
    said === undefined ? [] : [{ at: 'workload.key', message: said }],
  );
});

test('every input that is wrong is named, at any depth', () => {
  const said = {
    cities: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string', required: true } } },
    },
    limits: { properties: { pages: { type: 'integer' } } },
    missing: { required: true },
    defaulted: { required: true },
  };
  expect(
    checkInputs(
      schemas(said),
      { defaulted: 1 },
      { cities: [{ name: 'Oslo' }, {}, 5], limits: { pages: 'x' } },
    ),
  ).toEqual([
    { at: 'workload.cities[1].name', message: 'is required' },
    { at: 'workload.cities[2]', message: 'must be a mapping, not a number' },
    { at: 'workload.limits.pages', message: 'must be a whole number, not a text' },
    { at: 'workload.missing', message: 'is required' },
  ]);
});

test('names that objects have by themselves are names like others', () => {
  const said = JSON.parse(
    '{"__proto__": {"type": "string"}, "constructor": {"required": true}}',
  ) as JsonObject;
  expect(checkInputs(schemas(said), {}, JSON.parse('{"__proto__": 1}') as JsonObject)).toEqual([
    { at: 'workload.__proto__', message: 'must be a text, not a number' },
    { at: 'workload.constructor', message: 'is required' },
  ]);
});

const fields = (workload: string, metadata = ''): unknown[] =>
  readResource(`kind: Playbook\nmetadata: {name: x${metadata}}\nworkload:\n${workload}`).resource!.fields();

test.each([
  ['  a: text', { kind: 'string', default: 'text' }],
  ["  a: '1'", { kind: 'string', default: '1' }],
  ['  a: 1', { kind: 'integer' }],
  ['  a: 1.5', { kind: 'number' }],
  ['  a: yes', { kind: 'string' }],
  ['  a: [1, 2]', { kind: 'array', default: [1, 2] }],
  ['  a:', { kind: 'null', default: null }],
  ['  a: "#1" # ui:description=Sharp, one', { default: '#1', description: 'Sharp, one' }],
  ['  a: x # ui:enum=[x, "y z"] # ui:secret', { kind: 'enum', options: ['x', 'y z'], secret: true }],
  ['  a: pg_x # ui:credential=pg_*', { credential_glob: 'pg_*' }],
  [
    '  a: # ui:secret\n    b: 1 # ui:description=inner',
    { secret: true, children: [{ description: 'inner' }] },
  ],
  ['  a: x # just a remark', { description: null, secret: false }],
])('%s', (workload, field) => {
  expect(fields(workload)).toMatchObject([{ name: 'a', ...field }]);
});

test('the schema says more than comments and defaults, and adds what has no default', () => {
  const metadata =
    ', workload: {a: {type: number, description: So many}, b: {type: [string, "null"], secret: true}}';
  expect(fields('  a: 1 # ui:description=other', metadata)).toMatchObject([
    { name: 'a', kind: 'number', description: 'So many' },
    { name: 'b', kind: 'string', default: null, secret: true },
  ]);
});

test('a schema that makes no sense is told with its place', () => {
  const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: x
  workload:
    a: {type: strng, requierd: true}
    b: text
    c: {properties: {d: {items: {enum: 5}}}}
    e: {type: [string, 'null'], minimum: 1, items: {type: integer}}
workload: {}
workflow:
- step: start
  tool: {kind: noop}
`;
  const said = compile(text).diagnostics.map(({ line, column, severity }) => `${line}:${column} ${severity}`);
  expect(said).toEqual(['6:15 error', '6:22 error', '7:8 error', '8:40 error']);
});
