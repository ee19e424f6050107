/** `metadata.labels` and `metadata.run_name`: what is refused, and where. */
import { compile } from './compile';
import { labelsProblem } from '../plan';

const found = (metadata: string, workload = '{customer: acme, pin: null}'): string[] =>
  compile(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata:\n  name: a\n  path: a/b\n${metadata.replace(/^/gm, '  ')}\n` +
      `workload: ${workload}\nworkflow:\n- step: start\n  tool: {kind: noop, input: {x: "{{ customer }}", p: "{{ pin }}"}}\n`,
    { file: 'a.yaml' },
  ).diagnostics.map(({ code, line, message }) => `${line} ${code} ${message}`);

test('constant labels and a name by inputs are in the plan', () => {
  const { plan } = compile(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: a, path: a, labels: {team: sales, tier: 1}, run_name: "load {{ workload.c }}"}\n` +
      `workload: {c: x}\nworkflow: [{step: start, tool: {kind: noop}}]`,
  );
  expect(plan?.metadata).toMatchObject({ labels: { team: 'sales', tier: '1' }, runName: { template: {} } });
  expect(found('labels: {team: sales}\nrun_name: "load {{ workload.customer }}"')).toEqual([]);
});

test.each([
  ['labels: {a b: x}', '6 NT2063 `a b` is no name'],
  ['labels: {team: two words}', '6 NT2063 the label `team`'],
  ['labels: {team: "{{ workload.customer }}"}', '6 NT2063 the label `team`'],
  ['labels: {team: [a]}', '6 NT2063 the label `team`'],
  ['labels: [team]', '6 NT2003'],
  [
    `labels: {${Array.from({ length: 17 }, (_, n) => `k${n}: v`).join(', ')}}`,
    '6 NT2063 there are more than 16',
  ],
  ['run_name: "{{ workload.customer"', '6 NT4001'],
  ['run_name: "{{ start.x }}"', '6 NT3014'],
  ['workload: {pin: {secret: true}}\nrun_name: "of {{ pin }}"', '7 NT3101'],
  ['workload: {pin: {secret: true}}\nrun_name: "of {{ workload.pin }}"', '7 NT3101'],
  ['run_name: "of {{ keychain.x.token }}"', '6 NT3014'],
])('%s', (metadata, diagnostic) => {
  expect(found(metadata)).toContainEqual(expect.stringContaining(diagnostic));
});

test('labels of a start have the same bounds; bytes are counted, not characters', () => {
  expect(labelsProblem({ team: 'sales', 'a.b/c-d': 'ü:7' })).toBeUndefined();
  const wide = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, '漢'.repeat(60)]));
  expect(labelsProblem(wide)).toContain('1500 bytes');
  expect(labelsProblem({ team: 'a,b' })).toContain('`team`');
});
