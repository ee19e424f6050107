import { compile } from '../compile';
import { type ToolKinds } from '../kinds';

const playbook = (extensions: string, tool: string): string =>
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: x }
executor: { spec: { extensions: ${extensions} } }
workflow: [{ step: start, tool: { kind: dice, ${tool} } }]
`;
const told = (extensions: string, tool: string, kinds?: ToolKinds) =>
  compile(playbook(extensions, tool), { kinds }).diagnostics.map(({ code, message }) => `${code} ${message}`);
const specOf = (extensions: string, tool: string, kinds?: ToolKinds) =>
  compile(playbook(extensions, tool), { kinds }).plan!.steps[0]!.tasks[0]!.spec;

const MODULE: ToolKinds = new Map([
  ['dice', { doc: 'Rolls.', fields: { faces: '' }, required: [['faces']], closed: true, strict: ['faces'] }],
]);

test('a list of kinds takes any field; a mapping says which, and what is needed', () => {
  expect(told('[dice]', 'sides: 6')).toEqual([]);
  expect(told('{dice: {fields: [sides], required: [sides]}}', 'sidse: 6')).toEqual([
    'NT2001 `sidse` is not a field of `dice`',
  ]);
  expect(told('{dice: {required: [sides]}}', 'colour: red')).toEqual(['NT2051 `dice` needs `sides`']);
});

test('its timeout and its heartbeat travel in the plan; a timeout of the task wins', () => {
  expect(specOf('{dice: {timeout: 30, heartbeat: 0}}', 'sides: 6')).toMatchObject({
    timeout: { total: { const: 30 } },
    heartbeat: 0,
  });
  expect(specOf('{dice: {timeout: 30}}', 'spec: {timeout: 5}')).toMatchObject({
    timeout: { total: { const: 5 } },
  });
  expect(specOf('[dice]', 'sides: 6')).not.toHaveProperty('heartbeat');
});

test('what no extension says is a warning, and a kind of this runtime is refused', () => {
  expect(told('{dice: {feilds: [sides]}}', 'sides: 6')).toEqual([
    'NT2001 `feilds` is not a key of an extension',
  ]);
  expect(told('{dice: {colour: red}}', 'sides: 6')).toEqual([expect.stringMatching(/^NT20\d\d `colour`/)]);
  expect(told('[dice, http]', 'sides: 6')).toEqual(['NT2053 `http` is a built-in kind']);
});

test('a module knows its kind better than the playbook, and is enough without one', () => {
  expect(told('[dice]', 'sides: 6', MODULE)).toContain('NT2051 `dice` needs `faces`');
  const text = playbook('[]', 'faces: "{{ workload.faces }}"').replace('executor:', 'x-executor:');
  expect(
    compile(text.replace(/^x-executor.*\n/m, ''), { kinds: MODULE }).plan!.steps[0]!.tasks[0],
  ).toMatchObject({
    strict: ['faces'],
  });
});
