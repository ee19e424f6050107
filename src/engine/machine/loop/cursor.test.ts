/** Loops over claimed rows: the same wherever they run; each row once; no more frames than slots. */
import { drive } from '../../../../test/support/strict-driver';
import {
  httpError,
  ok,
  planOf,
  playbookOf,
  simulate,
  type Mocks,
  type Simulation,
} from '../../../../test/support/simulator';
import { type Json, type Outcome, type TaskCall } from '../../../language/plan';
import { Machine } from '../machine';

const EXECS = ['inline', 'local', 'distributed'] as const;

function playbook(spec: string, tool: string, more = '', options = '{}'): string {
  return playbookOf(`
- step: work
  loop:
    cursor:
      kind: postgres
      auth: pg
      claim: "take {{ __frame_max_rows }} of {{ workload.table }} by {{ __worker_slot_id }} for {{ __frame_policy.lease_seconds }} RETURNING id"
      options: ${options}
    iterator: row
    spec: {mode: cursor, ${spec}}
${more}
  tool: ${tool}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: noop, input: {work: "{{ work }}", stats: "{{ work.stats }}", ctx: "{{ ctx | tojson }}"}}`).replace(
    'workflow:\n\n- step: work',
    'executor: {spec: {entry_step: work}}\nworkload: {table: t, lease: 60, n: 2}\nworkflow:\n- step: work',
  );
}

const MARK =
  '{kind: python, input: {id: "{{ iter.row.id }}", same: "{{ row.id }}", at: "{{ iter._index }}", frame: "{{ iter._frame_index }}", of: "{{ iter._frame_row_count }}", in: "{{ iter._frame_row_index }}", slot: "{{ iter._worker_slot_id }}"}, code: "result = 1"}';

/** A table that claims take from, in order. */
class Table {
  readonly claims: number[] = [];
  readonly marked: number[] = [];
  constructor(
    private readonly rows: number,
    private readonly failing: readonly number[] = [],
  ) {}
  private next = 1;

  readonly mocks: Mocks = {
    work_claim: (call) => {
      const most = Number(/take (\d+)/.exec(String(call.config['command']))![1]);
      const rows: Json[] = [];
      for (; rows.length < most && this.next <= this.rows; this.next++) rows.push({ id: this.next });
      this.claims.push(rows.length);
      return ok({ rows, row_count: rows.length, columns: ['id'] });
    },
    work_task: (call) => this.mark(call),
  };

  private mark({ input }: TaskCall): Outcome {
    const id = Number(input['id']);
    if (this.failing.includes(id)) return httpError(400);
    this.marked.push(id);
    return ok({ marked: id });
  }
}

const all = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
const sorted = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);
const resultOf = ({ result }: Simulation): Record<string, never> => result as Record<string, never>;

describe.each(EXECS)('a cursor loop, %s', (exec) => {
  const policy = `policy: {exec: ${exec}}`;

  it.each([
    ['one row at a time', 'max_in_flight: 1'],
    [
      'frames of five, two at once',
      'max_in_flight: 2, frame: {max_rows: 5, row_concurrency: 2, process: row}',
    ],
    ['frames larger than the table', 'max_in_flight: "{{ workload.n }}", frame: {max_rows: "{{ 40 + 10 }}"}'],
    ['a lease of no time', 'max_in_flight: 1, frame: {max_rows: 6, lease_seconds: 0}'],
    ['numbers as text', 'max_in_flight: 3, frame: {max_rows: "4", lease_seconds: "{{ workload.lease }}"}'],
  ])('works on each row once: %s', (_, spec) => {
    const table = new Table(23);
    const run = simulate(playbook(`${spec}, ${policy}`, MARK), {
      mocks: table.mocks,
      choose: (n) => n - 1,
      persist: true,
    });
    expect(run.error).toBeUndefined();
    expect(sorted(table.marked)).toEqual(all(23));
    const frames = table.claims.filter((rows) => rows > 0).length;
    expect(resultOf(run)).toMatchObject({
      stats: { total: 23, success: 23, failed: 0, not_started: 0, frames },
      work: { results: [], count: 23 },
    });
    expect(run.events.find(({ event_type }) => event_type === 'loop.done')!.payload).toMatchObject({
      stats: { total: 23, frames },
    });
    expect(run.state.runs).toEqual({});
  });

  it('claims only for a free slot, and runs no more rows of a frame at once than it may', () => {
    const table = new Table(40);
    let most = 0;
    const open = new Map<number, number>();
    const frames = new Set<number>();
    const mocks: Mocks = {
      ...table.mocks,
      work_task: (call) => {
        frames.add(Number(call.input['frame']));
        open.set(Number(call.input['slot']), Number(call.input['frame']));
        most = Math.max(most, open.size);
        return table.mocks['work_task'] instanceof Function ? table.mocks['work_task'](call) : null;
      },
    };
    simulate(playbook(`max_in_flight: 3, frame: {max_rows: 4, row_concurrency: 2}, ${policy}`, MARK), {
      mocks,
    });
    expect(sorted(table.marked)).toEqual(all(40));
    expect([most, frames.size]).toEqual([3, 10]);
    // One empty claim ends each slot.
    expect(table.claims.filter((rows) => rows === 0)).toHaveLength(3);
  });

  it('tells rows where they are', () => {
    const calls = simulate(playbook(`frame: {max_rows: 2}, ${policy}`, MARK), {
      mocks: new Table(3).mocks,
    }).calls;
    const rows = calls.filter(({ task }) => task === 'work_task').map(({ input }) => input);
    expect(rows).toEqual([
      { id: 1, same: 1, at: 0, frame: 0, of: 2, in: 0, slot: 0 },
      { id: 2, same: 2, at: 1, frame: 0, of: 2, in: 1, slot: 0 },
      { id: 3, same: 3, at: 2, frame: 1, of: 1, in: 0, slot: 0 },
    ]);
    const [claim] = calls.filter(({ task }) => task === 'work_claim');
    expect(claim).toMatchObject({
      claim: true,
      config: { command: 'take 2 of t by 0 for 120 RETURNING id', auth: 'pg' },
    });
  });

  it('may work on whole frames, and counts their rows', () => {
    const tool =
      '{kind: python, input: {ids: "{{ row | map(attribute=\'id\') | list }}", n: "{{ iter.row_rows | length }}", first: "{{ iter.row[0].id }}", frame: "{{ [frame.index, frame.base_index, frame.row_count, frame.rows | length, frame.policy.max_rows] }}"}, code: "result = 1"}';
    const run = simulate(
      playbook(`max_in_flight: 2, frame: {max_rows: 4, process: frame}, ${policy}`, tool),
      {
        mocks: { work_claim: new Table(10).mocks['work_claim']! },
      },
    );
    const frames = run.calls.filter(({ task }) => task === 'work_task').map(({ input }) => input);
    expect(frames).toEqual([
      { ids: [1, 2, 3, 4], n: 4, first: 1, frame: [0, 0, 4, 4, 4] },
      { ids: [5, 6, 7, 8], n: 4, first: 5, frame: [1, 4, 4, 4, 4] },
      { ids: [9, 10], n: 2, first: 9, frame: [2, 8, 2, 2, 4] },
    ]);
    expect(resultOf(run)['stats']).toEqual({ total: 10, success: 10, failed: 0, not_started: 0, frames: 3 });
  });

  it('goes on after failed rows with best_effort, and counts them', () => {
    const table = new Table(9, [2, 7]);
    const more = '  spec: {policy: {failure: {mode: best_effort}}}';
    const run = simulate(playbook(`frame: {max_rows: 4}, ${policy}`, MARK, more), { mocks: table.mocks });
    expect(sorted(table.marked)).toEqual([1, 3, 4, 5, 6, 8, 9]);
    expect(resultOf(run)['stats']).toEqual({ total: 9, success: 7, failed: 2, not_started: 0, frames: 3 });
  });

  it('ends at the first failed row otherwise; what it took and did not begin is not_started', () => {
    const table = new Table(90, [6]);
    const run = simulate(playbook(`frame: {max_rows: 4}, ${policy}`, MARK), { mocks: table.mocks });
    expect(run.error).toMatchObject({ code: 'HTTP_400', step: 'work', iteration: 5 });
    expect(table.claims).toEqual([4, 4]);
    expect(run.state.results['work']).toMatchObject({
      success: 5,
      failed: 1,
      notStarted: 2,
      cursor: { rows: 8, frames: 2 },
    });
  });

  it('of nothing is done at once', () => {
    const run = simulate(playbook(policy, MARK), { mocks: new Table(0).mocks });
    expect(resultOf(run)['stats']).toEqual({ total: 0, success: 0, failed: 0, not_started: 0, frames: 0 });
    expect(run.calls).toHaveLength(1);
  });

  it('fails if a claim fails, and its arcs see why', () => {
    const claim = { sequence: [ok({ rows: [{ id: 1 }] }), httpError(500)] };
    const run = simulate(playbook(policy, MARK), { mocks: { work_claim: claim } });
    expect(run.error).toMatchObject({ code: 'HTTP_500', step: 'work', task: 'work_claim' });
    expect(run.state.results['work']).toMatchObject({ success: 1, error: { code: 'HTTP_500' } });
  });

  it('repeats a claim as its rules say', () => {
    const table = new Table(3);
    let failures = 2;
    const claim = (call: TaskCall): Json | Outcome =>
      failures-- > 0 ? httpError(500) : (table.mocks['work_claim'] as (call: TaskCall) => Outcome)(call);
    const rules =
      'spec: {policy: {rules: [{when: "{{ output.status == \'error\' }}", then: {do: retry, attempts: 3, delay: 1}}]}}';
    const yaml = playbook(`frame: {max_rows: 9}, ${policy}`, MARK).replace(
      'auth: pg',
      `auth: pg\n      ${rules}`,
    );
    expect(resultOf(simulate(yaml, { mocks: { ...table.mocks, work_claim: claim } }))['stats']).toMatchObject(
      { success: 3 },
    );
  });

  it('is refused an answer without rows, and one that says rows were changed and not returned', () => {
    for (const result of [{ done: true }, { rows: [], row_count: 4, columns: [] }] as Json[]) {
      const run = simulate(playbook(policy, MARK), { mocks: { work_claim: ok(result) } });
      expect(run.error).toMatchObject({ code: 'CLAIM_ROWS' });
      expect(run.error!.message).toContain('RETURNING');
    }
  });

  it('stops claims at options.max_iterations, with a note; and a claim that always returns the same', () => {
    const table = new Table(100);
    const limited = playbook(
      `max_in_flight: 2, frame: {max_rows: 5}, ${policy}`,
      MARK,
      '',
      '{max_iterations: 10}',
    );
    const run = simulate(limited, { mocks: table.mocks });
    expect(sorted(table.marked)).toEqual(all(20));
    expect(run.state.notes!.kept).toMatchObject([{ code: 'LOOP_ENDED_EARLY', step: 'work' }]);
    const same = simulate(playbook(policy, MARK), { mocks: { work_claim: ok({ rows: [{ id: 1 }] }) } });
    expect(same.error).toMatchObject({ code: 'CLAIM_REPEATS' });
  });

  it('finds the variables that rows leave different, however many', () => {
    const tool = MARK.replace('code:', 'set: {ctx.last: "{{ iter.row.id }}", ctx.one: 1}, code:');
    const parallel = playbook(`max_in_flight: 2, frame: {max_rows: 50, row_concurrency: 8}, ${policy}`, tool);
    const run = simulate(parallel, { mocks: new Table(400).mocks });
    expect(run.error).toMatchObject({ code: 'CTX_CONFLICT' });
    expect(run.error!.message).toContain('ctx.last');
    expect(run.error!.message).not.toContain('ctx.one');
  });
});

describe('a cursor loop', () => {
  it.each([
    ['1e9', 0, 16],
    ['1e9', 5, 40],
    ['1e9', 30, 120],
    ['40', 300, 400],
    ['3', 30, 33],
  ])('with %s slots makes for %i rows at most %i claims', (slots, rows, most) => {
    const table = new Table(rows);
    const yaml = playbook(`max_in_flight: ${slots}`, MARK).replace('by {{ __worker_slot_id }}', 'by anybody');
    const run = simulate(yaml, { mocks: table.mocks });
    expect(sorted(table.marked)).toEqual(all(rows));
    expect(table.claims.length).toBeLessThanOrEqual(most);
    const [{ payload } = { payload: {} }] = run.events.filter((one) => one.event_type === 'loop.started');
    expect(payload).toMatchObject({ max_in_flight: Math.min(Number(slots), 1500) });
  });

  it('comes to as many frames at once as it has slots', () => {
    const yaml = playbook('max_in_flight: 100', MARK).replace('by {{ __worker_slot_id }}', 'by anybody');
    const machine = Machine.create(planOf(yaml), '7', 0);
    let commands = machine.advance({ at: 0, inputs: [{ type: 'started', payload: {} }] });
    const marks: number[] = [];
    for (let at = 1; at < 6; at++) {
      const calls = commands.flatMap((one) => (one.type === 'runTask' ? [one.call] : []));
      marks.push(calls.filter(({ task }) => task === 'work_task').length);
      const inputs = calls.flatMap(({ task, task_run_id: taskRunId }) =>
        task === 'work_claim'
          ? [{ type: 'taskSettled', taskRunId, outcome: ok({ rows: [{ id: at }] }) } as const]
          : [],
      );
      commands = machine.advance({ at, inputs });
    }
    expect(marks).toEqual([0, 16, 32, 52, 0]);
  });

  it('whose claim asks for the rows of its slot begins with all slots', () => {
    const table = new Table(0);
    simulate(playbook('max_in_flight: 50', MARK), { mocks: table.mocks });
    expect(table.claims).toHaveLength(50);
  });

  it.each([
    'max_in_flight: "{{ 0 }}"',
    'frame: {max_rows: 0}',
    'frame: {lease_seconds: -1}',
    'frame: {row_concurrency: "{{ workload.table }}"}',
  ])('with a setting that cannot be fails: %s', (spec) => {
    const run = simulate(playbook(spec, MARK), { mocks: new Table(3).mocks });
    expect(run.error!.code).toMatch(/LOOP_FRAME|LOOP_MAX_IN_FLIGHT/);
  });

  it('ends with `end_loop`: no further claim, and what is left is counted', () => {
    const table = new Table(50);
    const yaml = playbook('frame: {max_rows: 5}', MARK).replace(
      /next: .*/,
      `case:
    - when: "{{ event.name == 'call.done' and row.id == 3 }}"
      then: [{end_loop: true}]
    - when: "{{ event.name == 'loop.done' }}"
      then: [{next: [{step: end}]}]`,
    );
    const run = simulate(yaml, { mocks: table.mocks });
    expect([table.marked, table.claims]).toEqual([[1, 2, 3], [5]]);
    expect(resultOf(run)['stats']).toMatchObject({ total: 5, success: 3, not_started: 2, frames: 1 });
  });

  it('keeps nothing of rows that are done: the state of the hundredth frame is as large as that of the second', () => {
    const sizes: number[] = [];
    const rows = Array.from({ length: 50 }, (_, n) => ({ id: n, text: 'x'.repeat(40) }));
    let claims = 0;
    const tool = MARK.replace('code:', 'set: {ctx.one: 1}, code:');
    const plan = planOf(playbook('max_in_flight: 2, frame: {max_rows: 50, row_concurrency: 5}', tool));
    const machine = Machine.create(plan, '7', 0);
    let commands = machine.advance({ at: 0, inputs: [{ type: 'started', payload: {} }] });
    for (let at = 1; machine.status === 'running'; at++) {
      const calls = commands.flatMap((one) => (one.type === 'runTask' ? [one.call] : []));
      const inputs = calls.map(({ task, task_run_id: taskRunId }) => {
        if (task !== 'work_claim') return { type: 'taskSettled', taskRunId, outcome: ok(1) } as const;
        sizes.push(JSON.stringify(machine.state).length);
        const outcome = ok({ rows: claims++ < 200 ? rows.map((row) => ({ ...row, of: claims })) : [] });
        return { type: 'taskSettled', taskRunId, outcome } as const;
      });
      commands = machine.advance({ at, inputs });
    }
    expect(machine.status).toBe('completed');
    expect(machine.state.results['work']).toMatchObject({ success: 10_000, cursor: { frames: 200 } });
    expect(sizes.at(-5)! / sizes[4]!).toBeLessThan(1.1);
  });

  it('goes on in fresh histories, whenever they come', () => {
    const plan = planOf(playbook('max_in_flight: 2, frame: {max_rows: 3, row_concurrency: 2}', MARK));
    for (let at = 1; at < 12; at++) {
      const table = new Table(11);
      const answers = table.mocks as Record<string, (call: TaskCall) => Outcome>;
      const driven = drive(plan, {
        answer: (call) => answers[call.task]!(call),
        order: [at, 3, 1],
        drainAt: [at, at + 2, at + 3],
      });
      expect([driven.end, sorted(table.marked)]).toEqual(['complete', all(11)]);
    }
  });
});
