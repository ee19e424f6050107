/** Kind `agent`: `framework: noetl` is a call of a playbook; other frameworks are told what to use. */
import { compile } from '../compile';

function told(tool: string) {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t, path: t}\nworkload: {which: a, p: {}}\nworkflow:\n- step: start\n  tool: ${tool}\n`;
  const { plan, diagnostics } = compile(text);
  const [task] = plan?.steps[0]?.tasks ?? [];
  return {
    task,
    told: diagnostics.map(({ code, message, hint, line, column }) => ({
      code,
      text: `${message}; ${hint}`,
      at: [line, column],
    })),
  };
}

/** The compiled call, without positions. */
const callOf = (tool: string): unknown => {
  const { task, told: said } = told(tool);
  expect(said).toEqual([]);
  const { kind, config, input, spec } = task!;
  return JSON.parse(JSON.stringify({ kind, config, input, spec }).replaceAll(/"at":\[\d+,\d+\]/g, '"at":[]'));
};

test.each([
  [
    '{kind: agent, framework: noetl, entrypoint: lib/a, payload: {q: rome}}',
    '{kind: playbook, framework: noetl, path: lib/a, payload: {q: rome}}',
  ],
  [
    '{kind: agent, framework: noetl, entrypoint: "lib/{{ workload.which }}", version: 3, input: {q: 1}, wait_timeout_seconds: 9}',
    '{kind: playbook, framework: noetl, path: "lib/{{ workload.which }}", version: 3, input: {q: 1}, timeout: 9}',
  ],
  [
    '{kind: agent, framework: noetl, entrypoint: a, payload: {q: 1, deep: {a: 1}}, invoke_kwargs: {q: 2, r: 3}, entrypoint_mode: factory}',
    '{kind: playbook, framework: noetl, path: a, payload: {q: 2, deep: {a: 1}, r: 3}}',
  ],
  [
    '{kind: agent, framework: noetl, entrypoint: a, invoke_kwargs: {r: 3}, on_failure: {troubleshoot: false}}',
    '{kind: playbook, framework: noetl, path: a, payload: {r: 3}}',
  ],
])('%s is %s', (agent, call) => {
  expect(callOf(agent)).toEqual(callOf(call));
});

test('an agent in a list, in a loop and in the workbook is one too', () => {
  const agent = 'kind: agent, framework: noetl, entrypoint: a';
  const kinds = (text: string): unknown =>
    compile(text).plan?.steps[0]?.tasks.map(({ kind, body }) => [kind, body?.[0]?.kind]);
  const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t, path: t}\n';
  expect(kinds(`${head}workflow:\n- step: start\n  tool: [{name: x, ${agent}}, {y: {${agent}}}]`)).toEqual([
    ['playbook', undefined],
    ['playbook', undefined],
  ]);
  expect(
    kinds(`${head}workflow:\n- step: start\n  tool: [{name: x, loop: {in: [1], iterator: n}, ${agent}}]`),
  ).toEqual([['iterator', 'playbook']]);
  const book = `${head}workbook: [{name: shared, ${agent}}]\nworkflow:\n- step: start\n  tool: {kind: workbook, name: shared}`;
  expect(kinds(book)).toEqual([['playbook', undefined]]);
});

test.each([
  ['{kind: agent}', 'NT2051', 'needs `framework`'],
  ['{kind: agent, framework: "{{ workload.which }}", entrypoint: a}', 'NT2050', 'framework: noetl'],
  ['{kind: agent, framework: noetl}', 'NT2051', 'needs `entrypoint`'],
  ['{kind: agent, framework: langchain, entrypoint: "m:f"}', 'NT2050', 'kind: python'],
  ['{kind: agent, framework: adk, entrypoint: "m:f"}', 'NT2050', 'kind: python'],
  ['{kind: agent, framework: custom, entrypoint: "m:f"}', 'NT2050', 'kind: python'],
  ['{kind: agent, framework: claude-code}', 'NT2050', 'kind: shell'],
  ['{kind: agent, framework: noetl, entrypoint: a, on_failure: {troubleshoot: true}}', 'NT2052', 'arc'],
  [
    '{kind: agent, framework: noetl, entrypoint: a, payload: "{{ workload.p }}", invoke_kwargs: {r: 1}}',
    'NT2006',
    'mapping',
  ],
])('%s: one diagnostic, %s', (tool, code, text) => {
  const { told: said } = told(tool);
  expect(said.map((each) => each.code)).toEqual([code]);
  expect(said[0]!.text).toContain(text);
});
