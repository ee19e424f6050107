/** Which of the inputs of a step, of its tool and of the arriving token a task sees. */
import { playbookOf, simulate } from '../../../../test/support/simulator';

/** Inputs of the task of a step that gets `args`. */
function seen(args: string, step: string, tool = 'input: {}'): unknown[] {
  const run = simulate(
    playbookOf(`
- step: start
  next: {arcs: [{step: look, args: {${args}}}]}
- step: look
  ${step}
  tool: {kind: python, code: "result = 1", ${tool}}
`),
  );
  expect(run.end).toBe('complete');
  return run.calls.map(({ input }) => input);
}

test.each([
  ['a default, where the token says nothing', 'a: 1', 'args: {k: mine}', { a: 1, k: 'mine' }],
  ['a default, which the argument takes the place of', 'k: given', 'args: {k: mine}', { k: 'given' }],
  ['a default that is a template', 'k: given', 'input: {k: "{{ execution_id }}"}', { k: 'given' }],
  ['a mapping, as a whole', 'k: {b: 2}', 'input: {k: {a: 1}}', { k: { b: 2 } }],
  ['an argument that is null', 'k: null', 'input: {k: mine}', { k: null }],
  ['a value made of the argument', 'k: 2', 'input: {k: "{{ args.k * 10 }}"}', { k: 20 }],
  ['its default', 'a: 1', 'input: {k: "{{ args.k or 5 }}"}', { a: 1, k: 5 }],
  ['the same by its bare name', 'k: 2', 'input: {k: "{{ (k | default(1)) * 10 }}"}', { k: 20 }],
  ['the same by `input`, deep in a mapping', 'k: 2', 'input: {k: {n: ["{{ input.k }}"]}}', { k: { n: [2] } }],
  ['the same by `get`', 'k: 2', `input: {k: "{{ args.get('k', 1) * 10 }}"}`, { k: 20 }],
  ['an argument of another name', 'k: 2, n: 3', 'input: {k: "{{ args.n }}"}', { k: 2, n: 3 }],
])('beside the tool: %s', (_, args, step, expected) => {
  expect(seen(args, step)).toEqual([expected]);
});

test('what the tool is given wins over both', () => {
  expect(seen('k: given', 'input: {k: mine}', 'input: {k: bound}')).toEqual([{ k: 'bound' }]);
});

test('in a loop what reads the iterator wins, in each of its iterations', () => {
  const loop = 'loop: {in: [1, 2], iterator: n}\n  input: {k: "{{ n }}", i: "{{ iter.index }}", d: 1}';
  expect(seen('k: given, i: given, d: given', loop)).toEqual([
    { k: 1, i: 0, d: 'given' },
    { k: 2, i: 1, d: 'given' },
  ]);
});

test('the list of a loop sees the argument, and not the default', () => {
  const loop = 'loop: {in: "{{ items }}", iterator: n}\n  input: {items: [0]}';
  expect(seen('items: [7, 8]', loop)).toHaveLength(2);
  expect(seen('a: 1', loop)).toHaveLength(1);
});
