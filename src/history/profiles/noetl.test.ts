/**
 * Events as the programs of NoETL read them: their server's status and progress, its load test, the agent that diagnoses
 * failures, and the GUI. Their rules are written down here in words of our own, without a look at how events are told.
 */
import fc from 'fast-check';
import { enveloped } from '../../../test/support/envelopes';
import { cases } from '../../../test/support/properties';
import { messages } from '../../../test/support/random-messages';
import { answer, plans } from '../../../test/support/random-plans';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { drive } from '../../../test/support/strict-driver';
import { type EngineEvent } from '../../engine/machine';
import { PROFILES, type Row } from '.';

interface Told {
  readonly event_id: string;
  readonly event_type: string;
  readonly node_id: string;
  readonly node_name: string;
  readonly node_type: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly result: { readonly status: string; readonly context?: Readonly<Record<string, unknown>> };
  readonly error: string | null;
  readonly parent_event_id: string | null;
}

function toldOf(events: readonly EngineEvent[]): Told[] {
  return enveloped([...events]).flatMap(PROFILES.noetl.project()) as Row[] as never;
}
function run(workflow: string, options: SimulationOptions = {}): Told[] {
  return toldOf(simulate(playbookOf(workflow), options).events as EngineEvent[]);
}
const typesOf = (told: readonly Told[], step?: string): string[] =>
  told.filter(({ node_name }) => step === undefined || node_name === step).map((one) => one.event_type);
const ofType = (told: readonly Told[], type: string): Told[] => told.filter((one) => one.event_type === type);

// The server, for the detail: from the newest event back, an end or a failure decides.
function statusOf(told: readonly Told[]): string {
  for (const { event_type, status } of [...told].reverse()) {
    const [, word] = /^playbook[._](completed|failed|cancelled)$/.exec(event_type) ?? [];
    if (word) return word.toUpperCase();
    if (status === 'FAILED') return 'FAILED';
  }
  return 'RUNNING';
}
// Its predecessor: the newest of a few types decides.
function terminalOf(told: readonly Told[]): string | undefined {
  const ends: Record<string, string> = {
    'execution.cancelled': 'CANCELLED',
    'playbook.completed': 'COMPLETED',
    'workflow.completed': 'COMPLETED',
    'playbook.failed': 'FAILED',
    'workflow.failed': 'FAILED',
    'command.failed': 'FAILED',
  };
  const [last] = [...told].reverse().filter(({ event_type }) => event_type in ends);
  return last && ends[last.event_type];
}
// The server, for the status: how many steps were entered, are over, run, have failed.
function progressOf(told: readonly Told[]): Record<string, number> {
  const steps = (is: (one: Told) => boolean): number =>
    new Set(told.filter(is).map(({ node_name }) => node_name)).size;
  return {
    total: steps(({ event_type }) => event_type === 'step.enter'),
    completed: steps(
      ({ event_type, status }) =>
        ['step.exit', 'command.completed'].includes(event_type) &&
        ['COMPLETED', 'completed', 'success'].includes(status),
    ),
    begun: steps(
      ({ event_type, status }) =>
        ['command.claimed', 'command.started'].includes(event_type) &&
        ['RUNNING', 'STARTED'].includes(status),
    ),
    failed: steps(
      ({ event_type, status }) => status === 'FAILED' && !/^(playbook|workflow)/.test(event_type),
    ),
  };
}
// The load test: counts a step's commands, and how many were called at once.
function loadOf(told: readonly Told[], step: string): Record<string, number> {
  const scoped = told.filter((one) => (one.node_id || one.node_name) === step);
  const ended = new Map<unknown, Told>();
  for (const one of ofType(scoped, 'call.done')) ended.set(one.context['command_id'], one);
  const line = [
    ...ofType(scoped, 'command.started').map((one) => ({ at: Date.parse(one.created_at), by: 1 })),
    ...[...ended.values()].map((one) => ({ at: Date.parse(one.created_at), by: -1 })),
  ].sort((a, b) => a.at - b.at || b.by - a.by);
  let [now, most] = [0, 0];
  for (const { by } of line) most = Math.max(most, (now += by));
  return { issued: ofType(scoped, 'command.issued').length, ended: ended.size, most };
}
// The agent: the first failure among the events that it was given says what failed.
function signalOf(given: readonly Told[]): object {
  const failure = given.find(
    ({ event_type, status }) => status === 'FAILED' || event_type.endsWith('.failed'),
  );
  const { tool_kind, status_code, error } = failure?.context ?? {};
  return { step: failure?.node_name, tool_kind, status_code, error };
}

const LOOP = `
- step: start
  loop: {in: [1, 2, 3], iterator: i, spec: {mode: parallel, max_in_flight: 3}}
  tool: {kind: python, input: {n: "{{ iter.i }}"}, code: "result = n"}
  next: {arcs: [{step: boom, when: "{{ event.name == 'loop.done' }}"}]}
- step: boom
  tool: {kind: http, url: http://x}`;

describe('a loop, and a step that fails', () => {
  const told = run(LOOP, { mocks: { start: ({ input }) => ({ n: input['n']! }), boom: httpError(404) } });

  test('is told step by step, each of them by its name', () => {
    expect(typesOf(told, 'start')).toEqual([
      'step.enter',
      ...Array.from({ length: 3 }, () => ['command.issued', 'command.started']).flat(),
      ...Array.from({ length: 3 }, () => ['call.done', 'command.completed']).flat(),
      ...['loop.done', 'step.exit'],
    ]);
    expect(typesOf(told, 'boom')).toEqual([
      ...['step.enter', 'command.issued', 'command.started'],
      ...['call.error', 'command.failed', 'step.exit'],
    ]);
    for (const { node_id, node_name, event_type } of told)
      if (!/^(playbook|workflow)/.test(event_type)) expect(node_id).toBe(node_name);
    expect(typesOf(told).slice(0, 3)).toEqual([
      'playbook.initialized',
      'playbook.started',
      'workflow.initialized',
    ]);
    expect(typesOf(told).slice(-2)).toEqual(['workflow.failed', 'playbook.failed']);
  });

  test('is what the programs of NoETL make of it', () => {
    expect([statusOf(told), terminalOf(told)]).toEqual(['FAILED', 'FAILED']);
    expect(progressOf(told)).toEqual({ total: 2, completed: 1, begun: 2, failed: 1 });
    expect(loadOf(told, 'start')).toEqual({ issued: 3, ended: 3, most: 3 });
    const signal = {
      tool_kind: 'http',
      status_code: 404,
      error: expect.stringContaining('HTTP 404') as string,
    };
    expect(signalOf(told)).toEqual({ step: 'boom', ...signal });
    // Of the newest first, it is the end, which says the same.
    expect(signalOf([...told].reverse())).toEqual({ step: 'test/test', ...signal });
    expect(told.at(-1)).toMatchObject({ context: { failed_step: 'boom', tool_kind: 'http' } });
  });

  test('has numbers without gaps, parents that came before, and one end for each command', () => {
    expect(told.map(({ event_id }) => event_id)).toEqual(told.map((_, index) => String(index + 1)));
    const [, issued] = ofType(told, 'command.issued');
    const of = told.filter(({ context }) => context['command_id'] === issued!.context['command_id']);
    expect(of.map((one) => [one.event_type, one.parent_event_id])).toEqual([
      ['command.issued', ofType(told, 'step.enter')[0]!.event_id],
      ...['command.started', 'call.done', 'command.completed'].map((type) => [type, issued!.event_id]),
    ]);
    expect(of[2]).toMatchObject({
      node_type: 'python',
      result: { status: 'COMPLETED', context: { n: 2 } },
      context: { iteration_index: 1, tool_kind: 'python', call_index: 0 },
      meta: { command_id: issued!.context['command_id'] },
    });
  });
});

test('calls that are tried again are one command, which fails only if none of them succeeds', () => {
  const retried = `
- step: start
  tool:
    kind: http
    url: http://x
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 1}}]}}`;
  const good = run(retried, { mocks: { start: { sequence: [httpError(503), httpError(503), 1] } } });
  expect(typesOf(good, 'start')).toEqual([
    ...['step.enter', 'command.issued', 'command.started', 'call.done', 'command.completed', 'step.exit'],
  ]);
  expect(ofType(good, 'call.done')[0]).toMatchObject({
    context: { call_index: 2 },
    result: { context: { data: 1 } },
  });
  expect(statusOf(good)).toBe('COMPLETED');
  const bad = run(retried, { mocks: { start: httpError(503) } });
  expect(ofType(bad, 'call.error')).toMatchObject([
    { error: expect.stringContaining('503') as string, context: { status_code: 503, call_index: 2 } },
  ]);
});

test('a pipeline is one command, with the result of its last call; so is what a rule skips over', () => {
  const told = run(
    `
- step: start
  tool:
    - {name: fetch, kind: http, url: http://x, spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: continue}}]}}}
    - {name: keep, kind: python, code: "result = 1"}`,
    { mocks: { fetch: httpError(404), keep: { kept: 7 } } },
  );
  expect(typesOf(told, 'start')).toEqual([
    ...['step.enter', 'command.issued', 'command.started', 'call.done', 'command.completed', 'step.exit'],
  ]);
  for (const type of ['call.done', 'step.exit'])
    expect(ofType(told, type)[0]).toMatchObject({ result: { context: { kept: 7 } } });
  expect(ofType(told, 'call.done')[0]).toMatchObject({ node_type: 'python', context: { call_index: 1 } });
});

test('an iteration that fails is one failed command of its step, also where the others go on', () => {
  const told = run(
    `
- step: start
  loop: {in: [1, 2], iterator: i}
  spec: {policy: {failure: {mode: best_effort}}}
  tool: {kind: http, url: http://x}`,
    { mocks: { start: { sequence: [httpError(404), 1] } } },
  );
  expect(ofType(told, 'call.error')).toMatchObject([{ context: { iteration_index: 0, status_code: 404 } }]);
  expect(loadOf(told, 'start')).toMatchObject({ issued: 2, ended: 1 });
  expect(statusOf(told)).toBe('COMPLETED');
});

test('a loop within a task belongs to the task’s command', () => {
  const told = run(
    `
- step: start
  tool: {name: all, kind: python, loop: {in: [1, 2, 3], iterator: i}, code: "result = 1"}`,
    { mocks: { start: 1 } },
  );
  expect(typesOf(told, 'start')).toEqual([
    ...['step.enter', 'command.issued', 'command.started', 'call.done', 'command.completed', 'step.exit'],
  ]);
});

test.each([
  ['command.started', 'tool: {kind: http, url: http://x, input: {n: "{{ 1 // ctx.none }}"}}'],
  [undefined, 'loop: {in: "{{ ctx.none }}", iterator: i}\n  tool: {kind: http, url: http://x}'],
])('what cannot be evaluated is a failed command, %s, of %s', (started, tool) => {
  const told = run(`\n- step: start\n  ${tool}`);
  expect(typesOf(told, 'start')).toEqual([
    ...['step.enter', 'command.issued', ...(started ? [started] : [])],
    ...['call.error', 'command.failed', 'step.exit'],
  ]);
  expect(ofType(told, 'call.error')[0]!.error).toBe(ofType(told, 'playbook.failed')[0]!.error);
});

describe('a cursor loop', () => {
  const loop = (claim: NonNullable<SimulationOptions['mocks']>[string], body: typeof claim = 1): Told[] =>
    run(
      `
- step: start
  loop:
    cursor: {kind: postgres, auth: pg, claim: "x RETURNING id"}
    iterator: row
    spec: {mode: cursor, frame: {max_rows: 2}}
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: noop}`,
      { mocks: { start_claim: claim, start_task: body } },
    );
  const rows = { rows: [{ id: 1 }, { id: 2 }] };

  test('has a command for each claim and for each row', () => {
    const told = loop({ sequence: [rows, { rows: [] }] });
    const kinds = ofType(told, 'call.done').map(({ node_name, node_type }) => [node_name, node_type]);
    const row = ['start', 'python'];
    expect(kinds).toEqual([['start', 'postgres'], row, row, ['start', 'postgres'], ['end', 'noop']]);
    expect(loadOf(told, 'start')).toMatchObject({ issued: 4, ended: 4 });
    expect(ofType(told, 'call.done')[0]!.result.context).toEqual(rows);
    expect(ofType(told, 'step.exit')[0]!.result).toEqual({ status: 'COMPLETED' });
    expect([statusOf(told), ofType(told, 'command.failed')]).toEqual(['COMPLETED', []]);
  });

  test('whose claim fails says so', () => {
    const told = loop({ sequence: [rows, httpError(500)] });
    expect(ofType(told, 'call.error')).toMatchObject([
      { node_type: 'postgres', context: { status_code: 500 } },
    ]);
    expect(signalOf([...told].reverse())).toMatchObject({ tool_kind: 'postgres', status_code: 500 });
  });
});

test('a sub-playbook’s number is in the events of its call', () => {
  const told = run(`\n- step: start\n  tool: {kind: playbook, path: other/one}`, {
    mocks: { start: { ok: 1 } },
  });
  const [started] = ofType(told, 'command.started');
  expect(started).toMatchObject({ node_type: 'playbook' });
  const child = started!.context['child_execution_id'];
  expect(child).toMatch(/^\d+$/);
  expect(ofType(told, 'call.done')[0]!.context['child_execution_id']).toBe(child);
});

test('a step that is not admitted was skipped, and not entered', () => {
  const told = run(`
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: never}]}
- step: never
  spec: {policy: {admit: {rules: [{when: "{{ false }}", then: {allow: true}}]}}}
  tool: {kind: noop}`);
  expect(typesOf(told, 'never')).toEqual(['step.skipped']);
  expect(progressOf(told)).toEqual({ total: 1, completed: 1, begun: 1, failed: 0 });
});

test('a cancelled execution is CANCELLED for all of them, with no command left open', () => {
  const told = run(`\n- step: start\n  tool: {kind: http, url: http://x}`, {
    inject: { 1: [{ type: 'cancelRequested', reason: 'enough' }] },
  });
  expect([statusOf(told), terminalOf(told)]).toEqual(['CANCELLED', 'CANCELLED']);
  expect(typesOf(told).slice(-3)).toEqual(['command.failed', 'execution.cancelled', 'playbook.cancelled']);
  expect(ofType(told, 'execution.cancelled')[0]!.context).toEqual({ reason: 'enough' });
});

test('of any run, whatever comes from outside: numbers, parents, pairs, and the status that it has', () => {
  const order = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });
  fc.assert(
    fc.property(plans({ cycles: true, racy: true }), order, messages, (plan, given, inject) => {
      const run = drive(plan, { answer, order: given, inject });
      const told = toldOf(run.events as EngineEvent[]);
      expect(told.map(({ event_id }) => event_id)).toEqual(told.map((_, index) => String(index + 1)));
      for (const { event_id, parent_event_id } of told.slice(1))
        expect(Number(parent_event_id)).toBeLessThan(Number(event_id));
      expect(statusOf(told)).toBe(run.state.status.toUpperCase());
      const ids = (...types: string[]): unknown[] =>
        told
          .filter(({ event_type }) => types.includes(event_type))
          .map(({ context }) => context['command_id']);
      expect(ids('command.completed', 'command.failed').sort()).toEqual(ids('command.issued').sort());
      expect(new Set(ids('command.issued')).size).toBe(ids('command.issued').length);
      const ends = ids('call.done', 'call.error');
      expect(new Set(ends).size).toBe(ends.length);
    }),
    cases(60),
  );
});
