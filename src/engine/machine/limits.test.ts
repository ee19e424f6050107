/** Limits by key as the engine keeps them: before the first step, and before the call of a task. */
import { limited, requestIn, settled } from '../../../test/support/limit-requests';
import { drive } from '../../../test/support/strict-driver';
import { planOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { type JsonObject, MOST_ASKERS, type Plan } from '../../language/plan';
import { type Input } from './batch';
import { Machine } from './machine';

const CONCURRENCY = 'concurrency: {key: "{{ workload.customer }}", limit: 1';
const payload = { customer: 'acme' };

function admission(spec: string, options: SimulationOptions = {}) {
  const { end, result, error, elapsed, events, state } = simulate(limited(spec), { payload, ...options });
  const about = events.filter(({ event_type }) => event_type.startsWith('limit.'));
  const told = about.map(({ event_type, payload: said }): JsonObject => ({
    event_type,
    ...(said as JsonObject),
  }));
  return {
    end,
    result,
    error,
    elapsed,
    told,
    notes: state.notes?.kept,
    executed: state.executed,
  };
}

describe('concurrency', () => {
  test('without other executions it begins at once', () => {
    const { told, result, elapsed } = admission(`${CONCURRENCY}}`);
    expect(told).toMatchObject([
      {
        event_type: 'limit.acquired',
        of: 'concurrency',
        scope: 'test/test',
        key: 'acme',
        limit: 1,
        duration_ms: 0,
      },
    ]);
    expect({ result, elapsed }).toEqual({ result: { ran: true }, elapsed: 0 });
  });

  test('it waits for the others, and says for whom', () => {
    const others = [
      { execution: '11', arrives: 0, ends: 60_000 },
      { execution: '12', arrives: 0, ends: 90_000 },
    ];
    const { told, result, elapsed } = admission(`${CONCURRENCY}}`, { others });
    expect(told).toMatchObject([
      { event_type: 'limit.queued', holders: ['11'], ahead: 1 },
      { event_type: 'limit.acquired', duration_ms: 90_000 },
    ]);
    expect({ result, elapsed }).toEqual({
      result: { ran: true },
      elapsed: 90_000,
    });
  });

  test('skip ends it without running, and says why', () => {
    const { end, result, told, notes, executed } = admission(`${CONCURRENCY}, on_conflict: skip}`, {
      others: [{ execution: '11', arrives: 0 }],
    });
    expect({ end, executed }).toEqual({ end: 'complete', executed: [] });
    expect(result).toEqual({
      status: 'skipped',
      limit: 'concurrency',
      key: 'acme',
      by: ['11'],
    });
    expect(told).toMatchObject([{ event_type: 'limit.skipped', by: ['11'] }]);
    expect(notes).toMatchObject([
      {
        code: 'SKIPPED',
        message: expect.stringContaining('execution 11') as string,
      },
    ]);
  });

  test('fail names the holder', () => {
    const { error, told } = admission(`${CONCURRENCY}, on_conflict: fail}`, {
      others: [{ execution: '11', arrives: 0 }],
    });
    expect(error).toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining('execution 11') as string,
    });
    expect(told).toMatchObject([{ event_type: 'limit.refused' }]);
  });

  test('a key that is full says how many executions that is', () => {
    const machine = Machine.create(planOf(limited(`${CONCURRENCY}}`)), '1');
    const { keeper } = requestIn(machine.apply({ at: 0, inputs: [{ type: 'started', payload }] }).commands);
    const answer = { keeper, execution: '1', type: 'refused', holders: ['2'], full: true } as const;
    const { commands } = machine.apply({
      at: 1,
      inputs: [settled('limit:concurrency'), { type: 'limitAnswered', answer }],
    });
    const message = expect.stringContaining(`${MOST_ASKERS} executions hold it or wait for it`) as string;
    expect(commands).toMatchObject([{ type: 'fail', error: { code: 'LIMIT_REACHED', message } }]);
  });

  test('a newer one takes its place', () => {
    const wait = limited(
      `${CONCURRENCY}, on_conflict: cancel_running}`,
      '- {step: start, tool: {kind: wait, for: 1h}}',
    );
    const { end, elapsed, events } = simulate(wait, {
      payload,
      others: [{ execution: '12', arrives: 5000 }],
    });
    expect({ end, elapsed }).toEqual({ end: 'cancelled', elapsed: 5000 });
    const { payload: said } = events.find(({ event_type }) => event_type === 'playbook.cancelled')!;
    expect(said['reason']).toContain('execution 12 takes its place');
  });

  test('cancelled while it waits, it ends at once and leaves the queue', () => {
    const plan = planOf(limited(`${CONCURRENCY}}`));
    const machine = Machine.create(plan, '1');
    const { keeper } = requestIn(machine.apply({ at: 0, inputs: [{ type: 'started', payload }] }).commands);
    const answer = {
      keeper,
      execution: '1',
      type: 'queued',
      holders: ['2'],
      ahead: 0,
    } as const;
    machine.apply({
      at: 1,
      inputs: [settled('limit:concurrency'), { type: 'limitAnswered', answer }],
    });
    expect(machine.progress().queued).toMatchObject({
      key: 'acme',
      limit: 1,
      holders: ['2'],
      since: 0,
    });
    const { commands } = machine.apply({
      at: 2,
      inputs: [{ type: 'cancelRequested', reason: 'enough' }],
    });
    expect(commands).toEqual([
      { type: 'leaveLimit', keeper },
      { type: 'cancelled', reason: 'enough' },
    ]);
  });

  test('paused while it waits, it begins when it is resumed', () => {
    const { end, elapsed } = simulate(limited(`${CONCURRENCY}}`), {
      payload,
      others: [{ execution: '11', arrives: 0, ends: 2000 }],
      messages: [
        { after: 1000, input: { type: 'paused' } },
        { after: 9000, input: { type: 'resumed' } },
      ],
    });
    expect({ end, elapsed }).toEqual({ end: 'complete', elapsed: 9000 });
  });

  test('resumed while it waits, it asks again, in case somebody terminated the keeper', () => {
    const machine = Machine.create(planOf(limited(`${CONCURRENCY}}`)), '1');
    const first = requestIn(machine.apply({ at: 0, inputs: [{ type: 'started', payload }] }).commands);
    // The first request is still on its way.
    expect(
      machine.apply({
        at: 1,
        inputs: [{ type: 'paused' }, { type: 'resumed' }],
      }).commands,
    ).toEqual([]);
    machine.apply({
      at: 2,
      inputs: [settled('limit:concurrency'), { type: 'paused' }],
    });
    expect(requestIn(machine.apply({ at: 3, inputs: [{ type: 'resumed' }] }).commands)).toEqual(first);
  });

  test('answers that are not meant for it change nothing', () => {
    const machine = Machine.create(planOf(limited(`${CONCURRENCY}}`)), '1');
    const { keeper } = requestIn(machine.apply({ at: 0, inputs: [{ type: 'started', payload }] }).commands);
    const strays: Input[] = [
      {
        type: 'limitAnswered',
        answer: { keeper, execution: '2', type: 'granted' },
      },
      {
        type: 'limitAnswered',
        answer: { keeper: 'another', execution: '1', type: 'granted' },
      },
      {
        type: 'limitAnswered',
        answer: {
          keeper,
          execution: '1',
          type: 'slots',
          ref: 'r',
          slots: [[0, 1]],
        },
      },
    ];
    expect(machine.apply({ at: 1, inputs: strays }).events).toEqual([]);
    const answer = { keeper, execution: '1', type: 'granted' } as const;
    const begun = machine.apply({
      at: 2,
      inputs: [{ type: 'limitAnswered', answer }],
    });
    expect(begun.events.map(({ event_type }) => event_type)).toContain('playbook.started');
    // Delivered twice.
    expect(machine.apply({ at: 3, inputs: [{ type: 'limitAnswered', answer }] }).events).toEqual([]);
  });

  test.each([
    ['an empty key', '{key: "{{ workload.customer }}", limit: 1}', {}, 'LIMIT_KEY'],
    [
      'a key that is a list',
      '{key: "{{ workload.customer }}", limit: 1}',
      { customer: ['acme'] },
      'LIMIT_KEY',
    ],
    ['a limit of 0', '{limit: "{{ workload.n }}"}', { n: 0 }, 'LIMIT_NUMBER'],
  ])('%s fails the execution', (_, concurrency, given, code) => {
    const { end, error } = admission(`concurrency: ${concurrency}`, {
      payload: given,
    });
    expect({ end, code: error?.code, at: error?.at?.[0] }).toEqual({
      end: 'fail',
      code,
      at: 4,
    });
  });

  test('a sub-playbook that asks for what its caller holds says so in its request', () => {
    const calls = limited(
      `${CONCURRENCY}, scope: shared}`,
      '- {step: start, tool: {kind: playbook, path: a/b}}',
    );
    const { calls: made } = simulate(calls, {
      payload,
      mocks: { start: null },
    });
    expect(made).toHaveLength(1);
    const driven = Machine.create(planOf(limited(`${CONCURRENCY}, scope: shared}`)), '2');
    const keeper = 'noetl-limit:concurrency:shared:acme';
    const caller = {
      executionId: '1',
      taskRunId: 't',
      depth: 1,
      iter: null,
      holds: [keeper],
    };
    const { commands } = driven.apply({
      at: 0,
      inputs: [{ type: 'started', payload, caller }],
    });
    expect(requestIn(commands)).toMatchObject({
      keeper,
      request: { concurrency: { inside: true } },
    });
  });

  test('the keys of two long names have different keepers, with ids that every server can store', () => {
    const keeperOf = (customer: string): string => {
      const machine = Machine.create(planOf(limited(`${CONCURRENCY}}`)), '1');
      return requestIn(
        machine.apply({
          at: 0,
          inputs: [{ type: 'started', payload: { customer } }],
        }).commands,
      ).keeper;
    };
    const long = 'a'.repeat(500);
    expect(keeperOf(`${long}1`)).not.toBe(keeperOf(`${long}2`));
    expect(keeperOf(long).length).toBeLessThanOrEqual(200);
  });
});

describe('debounce', () => {
  test('it begins after the period', () => {
    const { told, elapsed } = admission('debounce: {key: "{{ workload.customer }}", period: 30s}');
    expect(told).toMatchObject([
      { event_type: 'limit.queued', until: '2023-11-14T22:13:50Z' },
      { event_type: 'limit.acquired', of: 'debounce', duration_ms: 30_000 },
    ]);
    expect(elapsed).toBe(30_000);
  });

  test('a newer one replaces it', () => {
    const { result, elapsed } = admission('debounce: {period: 30s}', {
      others: [{ execution: '12', arrives: 10_000 }],
    });
    expect(result).toEqual({
      status: 'skipped',
      limit: 'debounce',
      key: '',
      by: ['12'],
    });
    expect(elapsed).toBe(10_000);
  });

  test('what is left of several then waits for its turn', () => {
    const { told } = admission(`debounce: {period: 1s}, ${CONCURRENCY}}`);
    expect(told.map(({ event_type, of }) => `${String(event_type)} ${String(of)}`)).toEqual([
      'limit.queued debounce',
      'limit.acquired debounce',
      'limit.acquired concurrency',
    ]);
  });
});

// Whatever happens in which order: the contract between engine and driver holds, and nothing is left behind.
describe('in any order', () => {
  const plan: Plan = planOf(
    limited(
      'concurrency: {limit: 1}, debounce: {period: 1s}, rate_limit: {key: x, limit: 2, per: 5s}',
      `- step: start
  loop: {in: "{{ range(7) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 4}}
  tool: {kind: http, url: "https://example.com"}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}
- {step: a, tool: {kind: shell, cmds: ["true"], spec: {exec: local}}}
- {step: b, tool: {kind: http, url: "https://example.com"}}`,
    ),
  );
  const answer = () => ({ status: 'ok', result: null, error: null, meta: {} }) as const;
  const orderOf = (seed: number): number[] => {
    let random = seed + 1;
    return Array.from({ length: 400 }, () => (random = (random * 1103515245 + 12345) % 2147483648) >> 7);
  };

  test.each(Array.from({ length: 25 }, (_, seed) => seed))('order %i', (seed) => {
    const run = drive(plan, {
      answer,
      order: orderOf(seed),
      drainAt: [seed % 9, 3 + (seed % 11)],
      persist: true,
    });
    expect(run).toMatchObject({ end: 'complete', broken: [] });
  });

  test.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'paused, resumed and cancelled at batch %i',
    (batch) => {
      const paused = {
        [batch]: [{ type: 'paused' }],
        [batch + 2]: [{ type: 'resumed' }],
      } as const;
      expect(drive(plan, { answer, order: orderOf(batch), inject: paused })).toMatchObject({
        end: 'complete',
        broken: [],
      });
      const cancelled = {
        [batch]: [{ type: 'cancelRequested', reason: 'enough' }],
      } as const;
      const run = drive(plan, {
        answer,
        order: orderOf(batch),
        inject: cancelled,
      });
      expect(run.broken).toEqual([]);
      expect(['cancelled', 'complete']).toContain(run.end);
    },
  );
});
