import { compile } from '../compile';

/** What NT4005 names, for a task of `start`. */
function spliced(task: string): string[] {
  const { diagnostics } = compile(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t}\nworkload: {x: a, n: 1}\nworkflow:\n  - step: start\n    tool: ${task}\n`,
  );
  return diagnostics.flatMap(({ code, message }) => (code === 'NT4005' ? [message] : []));
}
const SQL = ['`workload.x` becomes part of the SQL text'];
const COMMAND = ['`workload.x` becomes part of the command'];

const DATA = "select '{{ workload.x }}'";
test.each([
  ['command', `{kind: postgres, auth: pg, command: "${DATA}"}`],
  ['a list', `{kind: postgres, auth: pg, commands: ["select 1", "${DATA}"]}`],
  ['an inline script', `{kind: snowflake, auth: sf, script: {source: {type: inline, code: "${DATA}"}}}`],
  [
    'both ends of a transfer',
    `{kind: transfer, source: {kind: duckdb, query: select 1}, target: {kind: duckdb, query: "${DATA}"}}`,
  ],
])('SQL in %s', (_, task) => {
  expect(spliced(task)).toEqual(SQL);
});

test.each([
  "{{ 'select ' ~ workload.x }}",
  "{{ 'select ' + workload.x }}",
  "{{ 'select %s' % workload.x }}",
  "{{ 'select %s' | format(workload.x) }}",
  "{{ 'select {}'.format(workload.x) }}",
  "{{ ('select ' ~ workload.x) | trim }}",
  "{{ 'select ' ~ workload.x if workload.n else 'select 1' }}",
  '{% for r in workload.x %} select {{ r }}; {% endfor %}',
  '{% set q = workload.x %} select {{ q }}',
  '{% with q = workload.x %} select {{ q }} {% endwith %}',
  'select {% if workload.n %}{{ workload.x }}{% endif %}',
  'select {{ workload.n | int }}, {{ workload.x }}',
  'select {{ [workload.n | int, workload.x] | join }}',
])('SQL put together as %s', (sql) => {
  expect(spliced(`{kind: duckdb, query: "${sql}"}`)).toEqual(SQL);
});

test.each([
  '{{ workload.x }}',
  "{{ workload.x | default('select 1') }}",
  'select {{ workload.n | int + 1 }}',
  'select {{ workload.x | length }}, {{ workload.x | tojson }}',
  'select {{ 1 if workload.x else 2 }}, {{ workload.n > 3 }}',
  "select '{{ execution_id }}', {{ _attempt }}",
  '{% for i in range(3) %} select {{ i }}, {{ loop.index }}; {% endfor %}',
  '{% for r in workload.x %} select 1; {% endfor %}',
])('%s contains no data that could break it', (sql) => {
  expect(spliced(`{kind: duckdb, query: "${sql}"}`)).toEqual([]);
});

test.each([
  ['a command', '{kind: shell, cmd: "echo {{ workload.x }}"}', COMMAND],
  ['a list of commands', '{kind: shell, cmds: [ls, "echo {{ workload.x | tojson }}"]}', COMMAND],
  ['a script', '{kind: script, code: "echo {{ workload.x }}"}', COMMAND],
  ['the command of a container', '{kind: container, image: a, command: "echo {{ workload.x }}"}', COMMAND],
  ['its shell', '{kind: container, image: a, command: [sh, -ec, "echo {{ workload.x }}"]}', COMMAND],
  [
    'its arguments, which no shell parses',
    '{kind: container, image: a, command: [echo, "{{ workload.x }}!"]}',
    [],
  ],
  ['a number', '{kind: shell, cmd: "sleep {{ workload.n | int }}"}', []],
  ['the environment', '{kind: shell, cmd: "echo $X", env: {X: "{{ workload.x }}!"}}', []],
])('shell: %s', (_, task, expected) => {
  expect(spliced(task)).toEqual(expected);
});
