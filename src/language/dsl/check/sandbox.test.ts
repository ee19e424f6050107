import { compile } from '../index';

const compiled = (steps: string): ReturnType<typeof compile> =>
  compile(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x}\nworkflow:${steps}`);
const found = (tool: string): unknown[] =>
  compiled(`\n- step: start\n  tool: ${tool}`).diagnostics.map(({ code, message }) => [code, message]);

test.each(['strict', 'standard', 'none'])('%s is an option of the task, from the nearest layer', (level) => {
  const steps = `\n- step: start\n  spec: {sandbox: strict}\n  tool: {kind: python, code: result = 1, spec: {sandbox: ${level}}}`;
  const { plan } = compiled(steps);
  expect(JSON.stringify(plan)).toContain(`"options":{"const":{"sandbox":"${level}"}}`);
  expect(found(`{kind: shell, cmd: 'true', spec: {sandbox: ${level}}}`)).toEqual([]);
});

test('at a step or the executor it is for the tasks that have one', () => {
  const steps = `\n- step: start\n  spec: {sandbox: strict}\n  tool: {kind: http, url: "http://x"}`;
  expect(compiled(steps).diagnostics).toEqual([]);
});

test.each([
  ['{kind: http, url: "http://x", spec: {sandbox: strict}}', 'NT2059', 'has no sandbox'],
  ['{kind: python, code: x = 1, spec: {sandbox: {level: strict}}}', 'NT2059', 'not a mapping'],
  ['{kind: python, code: x = 1, spec: {sandbox: paranoid}}', 'NT2004', 'sandbox'],
])('%s: %s', (tool, code, message) => {
  expect(found(tool)).toEqual([[code, expect.stringContaining(message)]]);
});
