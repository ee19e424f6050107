/** The query `events` of a long run: the latest events, from a bounded part of its batches. */
import { planOf, playbookOf, START } from '../test/support/simulator';
import { type InputBatch, type Command, type EngineEvent, Machine } from '../src/engine/machine';
import { okOutcome } from '../src/language/plan';
import { RecentEvents } from './recent-events';

let window = 0;
jest.mock('@temporalio/workflow', () => ({ workflowInfo: () => ({ historyLength: window }) }));

const plan = planOf(
  playbookOf(
    '- step: start\n  loop: {in: "{{ range(3000) | list }}", iterator: i, spec: {mode: sequential}}\n' +
      '  tool: {kind: python, code: "result = 1"}',
  ),
);

it('are those of all batches, whichever were forgotten', () => {
  const recent = new RecentEvents({ plan, payload: {} }, '7');
  const machine = Machine.create(plan, '7');
  const events: EngineEvent[] = [];
  let batch: InputBatch = { at: START, inputs: [{ type: 'started', payload: {} }] };
  for (let number = 1; number <= 2500; number++) {
    window = number * 3;
    recent.note(batch, machine);
    const applied = machine.apply(batch);
    events.push(...applied.events);
    const task = applied.commands.find(
      (one): one is Extract<Command, { type: 'runTask' }> => one.type === 'runTask',
    );
    batch = {
      at: START + number,
      inputs: [{ type: 'taskSettled', taskRunId: task!.call.task_run_id, outcome: okOutcome(number) }],
    };
  }
  const before = JSON.stringify(machine.state);
  const latest = recent.last(1000);
  expect(latest).toHaveLength(1000);
  for (const [index, { event_id: id, timestamp: _, ...event }] of latest.entries()) {
    expect(event).toEqual(events.at(index - 1000));
    if (index === 999) expect(id).toMatch(/^7\/0\/7500\/\d+$/);
  }
  expect(recent.last(1000)).toEqual(latest);
  expect(JSON.stringify(machine.state)).toBe(before);
  const { older, newer } = recent as unknown as Record<'older' | 'newer', { batches: unknown[] }>;
  expect(older.batches.length + newer.batches.length).toBeLessThanOrEqual(1000);
});
