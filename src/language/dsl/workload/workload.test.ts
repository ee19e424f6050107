/** Inputs of playbooks as fields of a form, and what is wrong with what is said of them. */
import { compile } from '../compile';
import { readResource } from '../resource';

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
