/** What guards and writes of arcs see of a failure. */
import { handPlan } from '../../../../test/support/plans';
import { httpError, httpOk, playbookOf, simulate, type Simulation } from '../../../../test/support/simulator';

const ok = httpOk({ n: 1 });
const failed = httpError(503);

/** A step whose call comes to `outcome`, with one guarded arc to `a`. */
function routed(guard: string, outcome: typeof ok, args = '{}'): Simulation {
  return simulate(
    playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  next:
    arcs:
      - {step: a, when: "{{ ${guard} }}", args: ${args}}
- step: a
  tool: {kind: noop, args: {seen: "{{ args }}"}}`),
    { mocks: { start: outcome }, persist: true },
  );
}

describe('`response` on an arc after a failure', () => {
  it.each([
    ["event.name == 'step.exit' and response is defined", ok, true],
    ["event.name == 'step.exit' and response is not defined", ok, false],
    ["event.name == 'step.exit' and response is defined", failed, false],
    ["event.name == 'step.exit' and response is not defined", failed, true],
    ['error is defined and response is defined', failed, false],
    ["event.name == 'call.error' and response.status_code == 503", failed, true],
    ["event.name == 'step.failed' and response is defined", failed, true],
    ["event.name in ['step.exit', 'call.done'] and response.status_code == 503", failed, true],
    ["output.status == 'error' and response.error.retryable", failed, true],
  ])('%s after %j: fires %s', (guard, outcome, fires) => {
    expect(routed(guard, outcome).state.executed).toEqual(fires ? ['start', 'a'] : ['start']);
  });

  it('is in the arguments what it is in the guard', () => {
    const args = `{code: "{{ response.status_code | default('none') }}"}`;
    expect(routed("event.name == 'call.error'", failed, args).result).toEqual({ seen: { code: 503 } });
    expect(routed('error.retryable', failed, args).result).toEqual({ seen: { code: 'none' } });
    expect(routed("event.name == 'step.exit'", ok, args).result).toEqual({ seen: { code: 200 } });
  });

  it('of a rule is what it is to the rule', () => {
    const seen = (guard: string): unknown =>
      simulate(
        playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  case:
    - when: "{{ ${guard} }}"
      then: {next: [{step: a, args: {code: "{{ response.status_code | default('none') }}"}}]}
- step: a
  tool: {kind: noop, args: {seen: "{{ args }}"}}`),
        { mocks: { start: failed } },
      ).result;
    expect(seen("event.name == 'call.error'")).toEqual({ seen: { code: 503 } });
    expect(seen("event.name == 'step.exit' and error is defined")).toEqual({ seen: { code: 'none' } });
  });

  it('of a plan that an earlier build made is the envelope, as it was when the execution began', () => {
    const plan = handPlan([
      {
        name: 'start',
        tasks: [{ name: 'get', kind: 'http' }],
        next: [{ step: 'a', when: 'error is defined and response.status_code == 503', handlesFailure: true }],
      },
      { name: 'a', tasks: [{ name: 'b', kind: 'noop' }] },
    ]);
    expect(simulate(plan, { mocks: { get: failed } }).state.executed).toEqual(['start', 'a']);
  });
});

describe('event.name on an arc of a loop', () => {
  it.each([
    ['loop.done', true],
    ['step.done', true],
    ['step.exit', true],
    ['call.done', true],
    ['step.failed', false],
    ['call.error', false],
  ])('%s after its success: %s', (name, fires) => {
    const { state } = simulate(
      handPlan([
        {
          name: 'start',
          loop: { in: [1], as: 'n' },
          tasks: [{ name: 'a' }],
          next: [{ step: 'b', when: `event.name == '${name}'` }],
        },
        { name: 'b', tasks: [] },
      ]),
    );
    expect(state.executed).toEqual(fires ? ['start', 'b'] : ['start']);
  });
});
