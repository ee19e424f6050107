import { looped } from '../../../../test/support/loops';
import { type JsonObject } from '../../../language/plan';
import { planOf, playbookOf, simulate, START } from '../../../../test/support/simulator';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';

const event = (name: string, payload: JsonObject, id?: string): Input => ({
  type: 'externalEvent',
  name,
  payload,
  ...(id ? { id } : {}),
});

const messages = (...inputs: Input[]) => inputs.map((input) => ({ after: 1, input }));

const approval = (fields: string): string =>
  playbookOf(`
- step: start
  tool: {kind: wait, ${fields}}
  next:
    arcs:
    - {step: end, when: "{{ event.name == 'step.done' }}"}
    - {step: late, when: "{{ event.name == 'step.failed' }}", args: {code: "{{ error.code }}"}}
- step: late
  tool: {kind: noop, input: {code: "{{ code }}"}}
- step: end
  tool: {kind: noop, input: {said: "{{ start }}"}}`);

describe('a sleep', () => {
  it.each([
    'for: 90',
    'for: "90"',
    'for: PT1M30S',
    'until: "2023-11-14T22:14:50Z"',
    `until: ${START / 1000 + 90}`,
  ])('%s lasts until its time has come', (fields) => {
    const run = simulate(approval(fields), { persist: true });
    expect(run).toMatchObject({ end: 'complete', elapsed: 90_000 });
    expect(run.result).toEqual({ said: { waited_s: 90 } });
  });

  it('that is over already takes no timer', () => {
    const run = simulate(approval('until: "2020-01-01T00:00:00Z"'));
    expect(run).toMatchObject({ end: 'complete', batches: 1, result: { said: { waited_s: 0 } } });
  });

  it.each([
    [`for: "{{ 'soon' }}"`, /must be seconds.*got "soon"/],
    [`for: "{{ 'P1Y' }}"`, /duration like 5m or PT5M/],
    ['until: tomorrow', /until must be an RFC 3339 timestamp.*got "tomorrow"/],
    ['for: "{{ none }}"', /exactly one of for, until and event, got none/],
    ['event: 5', /event must be the name of an event, got 5/],
    [`event: "{{ '' }}"`, /event must be the name of an event, got ""/],
    [`event: x, timeout: "{{ 'never' }}"`, /timeout must be seconds/],
  ])('%s fails, saying what is wrong', (fields, message) => {
    const run = simulate(playbookOf(`\n- step: start\n  tool: {kind: wait, ${fields}}`));
    expect(run.error).toMatchObject({ kind: 'validation', code: 'WAIT_FIELDS', at: [8, 10] });
    expect(run.error!.message).toMatch(message);
  });

  it('elapses while the execution is paused, and nothing follows until it is resumed', () => {
    const held = simulate(approval('for: 60'), { inject: { 1: [{ type: 'paused' }] } });
    expect(held).toMatchObject({ end: 'stuck', elapsed: 60_000 });
    expect(held.types).toContain('task.done');
    expect([held.state.executed, Object.values(held.state.tokens)]).toMatchObject([
      ['start'],
      [{ step: 'end', afterPause: true }],
    ]);
  });

  it('ends with the time limit of its step, and with a cancel', () => {
    const yaml = playbookOf(
      `\n- step: start\n  spec: {lifecycle: {timeout_s: 5}}\n  tool: {kind: wait, for: 60}`,
    );
    const late = simulate(yaml);
    expect(late).toMatchObject({ end: 'fail', elapsed: 5000, error: { code: 'STEP_TIMEOUT' } });
    expect(late.state.timers).toEqual({});
    const cancelled = simulate(approval('for: 60'), { inject: { 1: [{ type: 'cancelRequested' }] } });
    expect(cancelled).toMatchObject({ end: 'cancelled', state: { waits: {}, timers: {} } });
    expect(cancelled.types.filter((type) => type === 'task.failed')).toHaveLength(1);
  });
});

describe('a wait for an event', () => {
  it('has the payload as its result', () => {
    const run = simulate(approval('event: approved, timeout: 60'), {
      inject: { 1: [event('other', { no: 1 }), event('approved', { by: 'ada' })] },
      persist: true,
    });
    expect(run.result).toEqual({ said: { by: 'ada' } });
    expect(run.state).toMatchObject({ waits: {}, timers: {}, inbox: [{ name: 'other' }] });
  });

  it('times out with kind timeout, code WAIT_TIMEOUT', () => {
    const run = simulate(approval('event: approved, timeout: PT1M'));
    expect(run).toMatchObject({ end: 'complete', elapsed: 60_000, result: { code: 'WAIT_TIMEOUT' } });
    const failed = run.events.find(({ event_type }) => event_type === 'task.failed')!;
    expect(failed.payload['outcome']).toMatchObject({ error: { kind: 'timeout', retryable: true } });
  });

  it('takes an event that came before, once', () => {
    const two = playbookOf(`
- step: start
  tool: {kind: wait, for: 1}
  next: {arcs: [{step: a}]}
- step: a
  tool: {kind: wait, event: e}
  next: {arcs: [{step: b}]}
- step: b
  tool: {kind: wait, event: e}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ [a, b] }}"}}`);
    const one = simulate(two, { inject: { 1: [event('e', { n: 1 })] } });
    expect(one).toMatchObject({ end: 'stuck', state: { inbox: [] } });
    const both = simulate(two, { inject: { 1: [event('e', { n: 1 }), event('e', { n: 2 })] } });
    expect(both.result).toEqual({ all: [{ n: 1 }, { n: 2 }] });
  });

  it('ignores an event whose id came before, and says so', () => {
    const run = simulate(approval('event: never'), {
      messages: messages(event('e', { n: 1 }, 'x'), event('e', { n: 2 }, 'x')),
    });
    expect(run.state.inbox).toHaveLength(1);
    const received = run.events.filter(({ event_type }) => event_type === 'external.received');
    expect(received.map(({ status, payload }) => [status, payload['duplicate']])).toEqual([
      ['success', undefined],
      ['skipped', true],
    ]);
  });

  it('keeps a thousand events, and drops the oldest with an event of its own', () => {
    const flood = Array.from({ length: 1002 }, (_, n) => event('e', { n }));
    const run = simulate(approval('event: never'), { messages: messages(...flood) });
    expect(run.state.inbox).toHaveLength(1000);
    expect(run.state.inbox[0]!.payload).toEqual({ n: 2 });
    const dropped = run.events.filter(({ event_type }) => event_type === 'external.dropped');
    expect(dropped).toMatchObject([{ status: 'skipped' }, { status: 'skipped' }]);
    expect(dropped[0]!.payload).toEqual({
      id: null,
      received_at: expect.stringMatching(/^2023-.*Z$/) as string,
      reason: 'more than 1000 events are waiting to be taken',
    });
  });

  const large = (mib: number): string => 'x'.repeat(mib * 2 ** 20);
  const reasons = (...inputs: Input[]) => {
    const machine = Machine.create(planOf(approval('event: never')), '1', START);
    machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
    const { commands, events } = machine.apply({ at: START + 1, inputs });
    const dropped = events.filter(({ event_type }) => event_type === 'external.dropped');
    const kept = machine.state.inbox.length;
    return { told: commands, kept, dropped: dropped.map(({ payload }) => payload['reason']) };
  };

  it('keeps none that is too large, and says so to who sent it with an id', () => {
    const reason = 'its payload comes to more than 16 MiB as JSON';
    const answer = { type: 'answerEvent', id: 'x', taken: false, duplicate: false, refused: reason };
    expect(reasons(event('e', { large: large(17) }, 'x'))).toEqual({
      told: [answer],
      kept: 0,
      dropped: [reason],
    });
    expect(reasons(event('e', { large: large(17) }))).toEqual({ told: [], kept: 0, dropped: [reason] });
  });

  it('keeps no more than 16 MiB of them: the oldest go, for one that has a payload', () => {
    const reason = 'the events that are waiting to be taken come to more than 16 MiB';
    const [one, two] = [event('e', { large: large(9) }), event('e', { large: large(9) })];
    expect(reasons(one, two)).toEqual({ told: [], kept: 1, dropped: [reason] });
    expect(reasons(one, event('e', {}))).toEqual({ told: [], kept: 2, dropped: [] });
  });

  it('knows the ids of the last thousand events, and no older ones', () => {
    const flood = Array.from({ length: 1001 }, (_, n) => event('e', { n }, `id${n}`));
    const again = [event('e', {}, 'id1'), event('e', {}, 'id0')];
    const run = simulate(approval('event: never'), { messages: messages(...flood, ...again) });
    const received = run.events.filter(({ event_type }) => event_type === 'external.received');
    expect(received.slice(-2).map(({ payload }) => payload['duplicate'])).toEqual([true, undefined]);
  });

  it('of a loop takes the event that its `when` is about; one that breaks `when` is kept and told', () => {
    const yaml = playbookOf(`
- step: start
  loop: {in: [7, 8], iterator: order, spec: {mode: parallel}}
  tool: {kind: wait, event: paid, when: "{{ event.payload.order + 0 == iter.order }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start }}"}}`);
    const run = simulate(yaml, {
      messages: messages(
        event('paid', { order: 'x' }),
        event('paid', { order: 8 }),
        event('paid', { order: 7 }),
      ),
    });
    expect(run.result).toEqual({ all: looped([{ order: 7 }, { order: 8 }]) });
    expect(run.state.inbox).toMatchObject([{ payload: { order: 'x' } }]);
    const [broken] = run.events.filter(({ event_type }) => event_type === 'external.received');
    expect(broken!.payload['when_error']).toMatch(/start#1\[0\]/);
  });
});

it('`when` reads the name of the event as well', () => {
  const yaml = approval(`event: yes, when: "{{ event.name == 'yes' and event.payload.by == 'ann' }}"`);
  const run = simulate(yaml, {
    messages: messages(event('yes', { by: 'bob' }), event('yes', { by: 'ann' })),
  });
  expect(run.result).toEqual({ said: { by: 'ann' } });
});

describe('a wait with a form', () => {
  const RUN = 'start#1~1@1';
  const asks = approval(
    'event: asked, timeout: 60, form: {title: "Approve {{ 1 + 1 }}?", fields: {amount: {type: number, required: true, maximum: "{{ 4 + 5 }}"}}}',
  );
  const answer = (payload: JsonObject, about: object = {}, id = 'one'): Input => ({
    type: 'externalEvent',
    name: 'asked',
    payload,
    id,
    answer: { of: RUN, by: 'ada', via: 'token', ...about },
  });
  const commandsOf = (run: ReturnType<typeof simulate>) =>
    run.events
      .filter(({ event_type: type }) => type.startsWith('external.'))
      .map(({ event_type, payload }) => [
        event_type,
        payload['taken_by'] ?? payload['reason'] ?? payload['duplicate'],
      ]);

  it('shows it evaluated, and has an answer that fits as its result', () => {
    const run = simulate(asks, { inject: { 1: [answer({ amount: 9 })] }, persist: true });
    const started = run.events.find(({ event_type }) => event_type === 'task.started')!;
    expect(started.payload['wait']).toMatchObject({
      event: 'asked',
      form: { title: 'Approve 2?', fields: { amount: { maximum: 9 } }, who: { scope: 'run' } },
    });
    const said = { amount: 9, rejected: false, reason: null, by: 'ada', via: 'token' };
    expect(run.result).toEqual({ said });
    const received = run.events.find(({ event_type }) => event_type === 'external.received')!;
    expect(received.payload).toMatchObject({
      by: 'ada',
      via: 'token',
      taken_by: RUN,
      payload: { amount: 9 },
    });
  });

  it('takes a rejection as a result', () => {
    const run = simulate(asks, { inject: { 1: [answer({ rejected: true, reason: 'no' })] } });
    expect(run.result).toEqual({ said: { rejected: true, reason: 'no', by: 'ada', via: 'token' } });
  });

  it('takes no plain event of its name, which says why', () => {
    const run = simulate(asks, { inject: { 1: [event('asked', { amount: 1 })] } });
    expect(run).toMatchObject({ result: { code: 'WAIT_TIMEOUT' }, state: { inbox: [{ name: 'asked' }] } });
    const received = run.events.find(({ event_type }) => event_type === 'external.received')!;
    expect(received.payload['when_error']).toContain('takes answers only');
  });

  it('takes one of two answers, and one that does not fit leaves the question open', () => {
    const inputs = [answer({ amount: 10 }), answer({ amount: 1 }), answer({ amount: 2 })];
    const run = simulate(asks, { inject: { 1: inputs } });
    expect(run.result).toMatchObject({ said: { amount: 1 } });
    expect(commandsOf(run)).toEqual([
      ['external.dropped', 'answer.amount must be at most 9'],
      ['external.received', RUN],
      ['external.received', true],
    ]);
  });

  it('never keeps an answer for another wait of the same name', () => {
    const twice = playbookOf(`
- step: start
  tool: {kind: wait, event: asked, timeout: 5, form: {}}
  next: {arcs: [{step: again, when: "{{ event.name == 'step.failed' }}"}]}
- step: again
  tool: {kind: wait, event: asked, timeout: 5, form: {}}
  next: {arcs: [{step: end, when: "{{ event.name == 'step.failed' }}"}]}
- step: end
  tool: {kind: noop}`);
    // After the first wait has timed out.
    const run = simulate(twice, { messages: [{ after: 6000, input: answer({}) }] });
    expect(commandsOf(run)).toEqual([['external.dropped', 'the wait that it answers is over']]);
    expect(run).toMatchObject({ end: 'complete', elapsed: 10_000, state: { inbox: [] } });
  });

  it.each([
    [`event: x, form: {who: {link: "{{ 'soon' }}"}}`, /form its who.link must be true or a duration/],
  ])('%s fails, saying what is wrong', (fields, message) => {
    const run = simulate(playbookOf(`\n- step: start\n  tool: {kind: wait, ${fields}}`));
    expect(run.error).toMatchObject({ code: 'WAIT_FIELDS' });
    expect(run.error!.message).toMatch(message);
  });
});
