import { expectRewritten, HEAD } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

describe('root vars', () => {
  const steps = `workflow:
  - step: start
    tool: { kind: noop, input: { a: "{{ vars.n }}", b: "{{ ctx.n + workload.x }}" } }
`;
  test('are the workload where nothing writes them', () => {
    const after = steps.replace('vars.n', 'workload.n').replace('ctx.n', 'workload.n');
    expectRewritten(
      `${HEAD}vars: # given\n  n: 1 # one\n  x: 2\n${steps}`,
      `${HEAD}workload: # given\n  n: 1 # one\n  x: 2\n${after}`,
    );
    expectRewritten(
      `${HEAD}vars:\n    n: 1 # one\n    # more\n    m: { a: 1 }\nworkload:\n  x: 2 # two\n${steps}`,
      `${HEAD}workload:\n  x: 2 # two\n  n: 1 # one\n  # more\n  m: { a: 1 }\n${after}`,
    );
  });

  test.each([
    ['a step writes one', `vars: { n: 1 }\n${steps}    set: { ctx.n: 2 }\n`],
    ['one is computed', `vars: { n: "{{ now() }}" }\n${steps}`],
    ['they are read as a whole', `vars: { n: 1 }\n${steps.replace('vars.n', 'vars')}`],
  ])('stay where %s', (_, rest) => {
    const { text, notes } = upgrade(HEAD + rest);
    expect(text).toBe(HEAD + rest);
    expect(notes).toMatchObject([
      { line: 4, message: 'a playbook has no root `vars`', why: expect.any(String) as string },
    ]);
  });
});
