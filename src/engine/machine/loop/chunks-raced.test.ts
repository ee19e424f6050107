/** Chunks report by messages: one may stand before or after a cancel, a time limit or a failure of the same batch. */
import fc from 'fast-check';
import { cases } from '../../../../test/support/properties';
import { ok, planOf, playbookOf } from '../../../../test/support/simulator';
import { type Plan } from '../../../language/plan';
import { type Command } from '../batch/commands';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';
import { type ChunkSettled, type FailureCause } from '../state';

const plan = (failFast: boolean): Plan =>
  planOf(
    playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: each}, {step: beside}]}
- step: each
  spec: {lifecycle: {timeout_s: 50}}
  loop: {in: "{{ range(40) | list }}", iterator: item, spec: {mode: parallel, max_in_flight: 6, fail_fast: ${failFast}, policy: {exec: distributed}}}
  tool: {kind: python, code: "result = 1"}
- step: beside
  tool: {kind: python, code: "result = 1"}`),
  );

const GONE: FailureCause = { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled' };
const NO_RESULT: FailureCause = { kind: 'exception', code: 'BROKEN', message: 'broken' };
const of = { ctx: {}, writes: {}, tasks: 1, retries: 0, notStarted: 0 };
const done = (count: number): ChunkSettled => ({
  status: 'done',
  result: { ...of, results: Array(count).fill(1) as number[], done: count, failed: 0, cause: null },
});
const failed = (count: number): ChunkSettled => ({
  status: 'done',
  result: { ...of, results: Array(count).fill(null) as null[], done: 0, failed: count, cause: NO_RESULT },
});

/** What is under way, by what it was asked for as: whoever has ended says so once, and hears nothing any more. */
function ended(machine: Machine, order: readonly number[], disturbances: readonly Input[]): string {
  const owed = new Map<string, Input>();
  const disturbing = [...disturbances];
  let chosen = 0;
  const choose = (below: number): number => (order[chosen++ % order.length] ?? 0) % below;
  const perform = (command: Command): void => {
    if (command.type === 'runTask') {
      const taskRunId = command.call.task_run_id;
      owed.set(taskRunId, { type: 'taskSettled', taskRunId, outcome: ok(1) });
    } else if (command.type === 'runChunk') {
      const { ref, chunk } = command;
      const settled = (choose(25) === 24 ? failed : done)(chunk.loop.items.length);
      owed.set(ref, { type: 'chunkSettled', ref, settled });
    } else if (command.type === 'cancelChunk' && owed.has(command.ref)) {
      const { ref } = command;
      owed.set(ref, { type: 'chunkSettled', ref, settled: { status: 'lost', cause: GONE } });
    }
  };
  let inputs: Input[] = [{ type: 'started', payload: {} }];
  for (let at = 0; inputs.length > 0; at++) {
    for (const command of machine.apply({ at, inputs }).commands) {
      perform(command);
      if (['complete', 'fail', 'cancelled'].includes(command.type)) return command.type;
    }
    inputs = [];
    for (let many = 1 + choose(4); many > 0 && owed.size > 0; many--) {
      const [key, input] = [...owed][choose(owed.size)]!;
      owed.delete(key);
      inputs.push(input);
    }
    if (choose(4) === 3 || owed.size === 0)
      inputs.splice(choose(inputs.length + 1), 0, ...disturbing.splice(0, 1));
  }
  return 'stuck';
}

it('an execution ends, whatever its chunks report beside what stops it', () => {
  const orders = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 60 });
  const cancel: Input = { type: 'cancelRequested' };
  const timeout: Input = { type: 'timerFired', key: 'timeout:each#1' };
  const disturbances = fc.shuffledSubarray<Input>([cancel, timeout, cancel]);
  const ends = new Set<string>();
  fc.assert(
    fc.property(fc.boolean(), orders, disturbances, (failFast, order, given) => {
      const end = ended(Machine.create(plan(failFast), '1', 0), order, given);
      ends.add(end);
      expect(end).not.toBe('stuck');
    }),
    cases(200),
  );
  expect([...ends].sort()).toEqual(['cancelled', 'complete', 'fail']);
});
