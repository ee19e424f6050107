/** Limits of rate, priority and fairness: what the engine requests for the calls of tasks. */
import { isRequest, limited, requestIn, settled } from '../../../test/support/limit-requests';
import { planOf, simulate } from '../../../test/support/simulator';
import { type LimitCall } from '../../language/plan';
import { type Command, type Input } from './batch';
import { Machine } from './machine';

describe('rate limit', () => {
  const LOOP = (spec: string): string =>
    limited(
      spec,
      '- {step: start, loop: {in: [1, 2, 3, 4, 5], iterator: n, spec: {mode: parallel}}, tool: {kind: http, url: "https://example.com"}}',
    );

  test('iterations start at their slots, requested all at once', () => {
    const { elapsed, events, types } = simulate(LOOP('rate_limit: {key: x, limit: 2, per: 10s}'), {
      mocks: { start: null },
    });
    expect(elapsed).toBeGreaterThanOrEqual(20_000);
    const waits = events.flatMap(({ event_type, payload: said }) =>
      event_type === 'limit.queued' ? [said['until']] : [],
    );
    expect(waits).toEqual(['22:13:30', '22:13:30', '22:13:40'].map((time) => `2023-11-14T${time}Z`));
    expect(types.filter((type) => type === 'task.started')).toHaveLength(5);
  });

  test('each attempt needs a slot of its own', () => {
    const retried = limited(
      'rate_limit: {key: x, limit: 1, per: 10s}',
      '- {step: start, tool: {kind: http, url: "https://example.com", spec: {policy: {rules: [{when: "{{ outcome.status == \'error\' }}", then: {do: retry, attempts: 3, delay: 1}}]}}}}',
    );
    const { elapsed } = simulate(retried, {
      mocks: { start: { sequence: [failing, failing, null] } },
    });
    expect(Math.floor(elapsed / 1000)).toBe(20);
  });

  test('only for the kinds that it names, and never for what the engine does itself', () => {
    const plan = planOf(
      limited(
        'rate_limit: {key: x, limit: 1, per: 10s, kind: [http, postgres]}',
        '- {step: start, tool: [{name: a, kind: noop}, {name: b, kind: shell, cmds: ["true"]}, {name: c, kind: http, url: "https://example.com"}]}',
      ),
    );
    expect(plan.steps[0]!.tasks.map(({ spec }) => spec.rateLimit !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test.each([
    [1000, false],
    [1001, true],
  ])(
    'an execution has at most 1,000 keys: a task that asks for one more fails with a code (%p keys)',
    (keys, fails) => {
      const { events } = simulate(
        limited(
          'rate_limit: {key: "{{ iter.n }}", limit: 1, per: 10s}',
          `- {step: start, loop: {in: "{{ range(${keys}) | list }}", iterator: n, spec: {mode: parallel}}, tool: {kind: http, url: "https://example.com"}}`,
        ),
        { mocks: { start: null } },
      );
      const failed = events.filter(({ event_type }) => event_type === 'task.failed');
      expect(failed.map((one) => JSON.stringify(one).includes('LIMIT_KEYS'))).toEqual(fails ? [true] : []);
    },
  );

  test('a slot that passed while the execution was paused is not used', () => {
    const asked: LimitCall[] = [];
    const machine = Machine.create(planOf(LOOP('rate_limit: {key: x, limit: 1, per: 10s}')), '1');
    const apply = (at: number, ...inputs: Input[]): readonly Command[] => {
      const { commands } = machine.apply({ at, inputs });
      if (commands.some(isRequest)) asked.push(requestIn(commands));
      return commands;
    };
    apply(0, { type: 'started', payload: {} });
    const { keeper, request } = asked[0]!;
    apply(1, { type: 'paused' });
    const slots = Array.from({ length: 5 }, () => [1, 1] as const);
    const answer = {
      keeper,
      execution: '1',
      type: 'slots',
      ref: request.rate!.ref,
      slots,
    } as const;
    apply(2, { type: 'limitAnswered', answer });
    const resumed = apply(60_000, { type: 'resumed' });
    expect(resumed.map((command) => command.type === 'runTask' && command.call.kind)).toEqual(['limit']);
    expect(asked[1]!.request.rate).toMatchObject({
      count: 5,
      ref: 'limit:rate#2',
    });
  });

  test('resumed while tasks wait for an answer, it requests their slots again', () => {
    const machine = Machine.create(planOf(LOOP('rate_limit: {key: x, limit: 1, per: 10s}')), '1');
    const apply = (at: number, ...inputs: Input[]): readonly Command[] =>
      machine.apply({ at, inputs }).commands;
    const { keeper, request } = requestIn(apply(0, { type: 'started', payload: {} }));
    expect(apply(1, { type: 'paused' }, { type: 'resumed' })).toEqual([]);
    apply(2, settled('limit:rate#1'), { type: 'paused' });
    const again = requestIn(apply(3, { type: 'resumed' }));
    expect(again).toMatchObject({
      keeper,
      request: { rate: { ref: 'limit:rate#2', count: 5 } },
    });
    const late = {
      keeper,
      execution: '1',
      type: 'slots',
      ref: request.rate!.ref,
      slots: [[3, 5]],
    } as const;
    expect(apply(4, { type: 'limitAnswered', answer: late })).toEqual([]);
    const answer = { ...late, ref: 'limit:rate#2' };
    expect(apply(5, { type: 'limitAnswered', answer }).map(({ type }) => type)).toEqual(
      Array(5).fill('runTask'),
    );
  });

  test('a step that is stopped no longer waits for slots', () => {
    const slow = limited(
      'rate_limit: {key: x, limit: 1, per: 1h}',
      '- {step: start, spec: {policy: {lifecycle: {timeout_s: 60}}}, loop: {in: [1, 2, 3], iterator: n, spec: {mode: parallel}}, tool: {kind: http, url: "https://example.com"}}',
    );
    const { end, error, elapsed } = simulate(slow, { mocks: { start: null } });
    expect({ end, code: error?.code, elapsed }).toMatchObject({
      end: 'fail',
      code: 'STEP_TIMEOUT',
      elapsed: 60_000,
    });
  });
});

describe('priority and fairness', () => {
  const commandOf = (spec: string, given = {}): Command => {
    const plan = planOf(limited(spec, '- {step: start, tool: {kind: http, url: "https://example.com"}}'));
    const machine = Machine.create(plan, '1');
    const { commands } = machine.apply({
      at: 0,
      inputs: [{ type: 'started', payload: given }],
    });
    return commands[0]!;
  };

  test('are those of the command', () => {
    const spec = 'priority: "{{ workload.p }}", fairness: {key: "{{ workload.customer }}", weight: 2.5}';
    expect(commandOf(spec, { p: 1, customer: 'acme' })).toMatchObject({
      priority: { priorityKey: 1, fairnessKey: 'acme', fairnessWeight: 2.5 },
    });
    expect(
      commandOf('fairness: {key: "{{ workload.customer }}"}', {
        customer: 'ü'.repeat(60),
      }),
    ).toMatchObject({
      priority: {
        fairnessKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      },
    });
    expect(commandOf('pool: default')).not.toHaveProperty('priority.priorityKey');
  });

  test('that are impossible fail the task', () => {
    const spec = 'priority: "{{ workload.p }}"';
    const plan = planOf(limited(spec, '- {step: start, tool: {kind: http, url: "https://example.com"}}'));
    expect(simulate(plan, { payload: { p: 6 }, mocks: { start: null } }).error).toMatchObject({
      code: 'LIMIT_NUMBER',
    });
  });
});

const failing = () => ({
  status: 'error' as const,
  result: null,
  error: {
    kind: 'server_error' as const,
    code: 'HTTP_503',
    message: 'busy',
    retryable: true,
  },
  meta: {},
});
