/** `exec: local`: which tasks it is for, wherever it is written, and which it is refused for. */
import { compile } from '..';
import { playbookOf } from '../../../../test/support/simulator';
import { everyTask } from '../../plan';

function made(steps: string, executor = ''): { local: string[]; errors: string[] } {
  const { plan, diagnostics } = compile(`${playbookOf(steps)}\n${executor}`);
  const errors = diagnostics.flatMap(({ code, severity, message }) =>
    severity === 'error' ? [`${code} ${message}`] : [],
  );
  return {
    local: plan?.steps.flatMap(everyTask).flatMap(({ name, local }) => (local ? [name] : [])) ?? [],
    errors,
  };
}

const EXECUTOR = 'executor: {spec: {exec: local}}';
const two = (spec: string, a = '', b = ''): string => `- step: start
  ${spec}
  tool:
    - {name: a, kind: python, code: "result = 1"${a}}
    - {name: b, kind: http, url: "http://x"${b}}
    - {name: c, kind: noop}`;

it.each<[string, string, string, string[]]>([
  ['nowhere', two('desc: x'), '', []],
  ['at the step', two('spec: {exec: local}'), '', ['a', 'b']],
  ['at the executor', two('desc: x'), EXECUTOR, ['a', 'b']],
  ['at the executor, undone by the step', two('spec: {exec: inline}'), EXECUTOR, []],
  ['at a task', two('desc: x', ', spec: {exec: local}'), '', ['a']],
  ['at the step, undone by a task', two('spec: {exec: local}', '', ', spec: {exec: inline}'), '', ['a']],
  ['at a loop', two('loop: {in: [1], iterator: i, spec: {exec: local}}'), '', ['a', 'b']],
  [
    'at the policy of a loop',
    two('loop: {in: [1], iterator: i, spec: {policy: {exec: local}}}'),
    '',
    ['a', 'b'],
  ],
  ['at the executor, for all that may', two('spec: {delivery: at_most_once}'), EXECUTOR, []],
  ['at the executor, but for long ones', two('desc: x', ', spec: {timeout: 3600}'), EXECUTOR, ['b']],
  ['at the executor, those of a pool too', two('desc: x', ', spec: {pool: gpu}'), EXECUTOR, ['a', 'b']],
])('written %s', (_, steps, executor, local) => {
  expect(made(steps, executor)).toEqual({ local, errors: [] });
});

it.each([
  [two('spec: {exec: local, delivery: at_most_once}'), 'is delivered at most once'],
  ['- step: start\n  spec: {exec: local}\n  tool: {kind: playbook, path: a/b}', 'calls another playbook'],
])('is refused for what cannot: %#', (steps, why) => {
  const { errors } = made(steps);
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(error).toMatch(new RegExp(`^NT2041 .*${why}`));
});
