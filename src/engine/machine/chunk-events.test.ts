/** The events of iterations that ran elsewhere, told from the batches that their machine took. */
import { ok, planOf, playbookOf } from '../../../test/support/simulator';
import { type Plan } from '../../language/plan';
import { ChunkEvents } from './chunk-events';
import { type Command, type RunChunk } from './batch/commands';
import { type EngineEvent } from './batch/events';
import { type InputBatch, type Input } from './batch/inputs';
import { planOfChunk } from './loop/chunk';
import { Machine } from './machine';
import { type ChunkResult } from './state/state';

const plan = planOf(
  playbookOf(`
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: many}]}
- step: many
  loop: {in: [a, b], iterator: item, spec: {mode: sequential, policy: {exec: distributed}}}
  tool: {kind: python, input: {item: "{{ item }}"}, code: "result = 1"}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: noop}`),
);

const chunksOf = (commands: readonly Command[]): readonly RunChunk[] =>
  commands.filter((command) => command.type === 'runChunk');

/** What happened to a chunk that ran to its end, and what its machine said. */
function ran(
  { chunk }: RunChunk,
  from: Machine = Machine.forChunk(planOfChunk(plan, chunk.run.step), chunk),
) {
  const trace: InputBatch[] = [];
  const events: EngineEvent[] = [];
  let result: ChunkResult | undefined;
  let inputs: Input[] = [{ type: 'chunkStarted' }];
  for (let at = 1000; result === undefined; at += 1000) {
    const batch = { at, inputs };
    trace.push(batch);
    const applied = from.apply(batch);
    events.push(...applied.events);
    inputs = [];
    for (const command of applied.commands) {
      if (command.type === 'chunkEnded') result = command.result;
      if (command.type === 'runTask')
        inputs.push({ type: 'taskSettled', taskRunId: command.call.task_run_id, outcome: ok(1) });
    }
  }
  return { trace, events, settled: { status: 'done', result } as const };
}

/** An execution that has just asked for its first chunk, and who tells of its chunks. */
function begun() {
  const machine = Machine.create(plan, '1', 0);
  const told = new ChunkEvents(plan);
  const { commands } = machine.apply({ at: 0, inputs: [{ type: 'started', payload: {} }] });
  told.after(commands);
  const [asked] = chunksOf(commands);
  return { machine, told, asked: asked! };
}

it('are those of its machine, each with the time of its batch', () => {
  const { told, asked } = begun();
  const { trace, events, settled } = ran(asked);
  const found = told.before({ at: 9000, inputs: [{ type: 'chunkSettled', ref: asked.ref, settled, trace }] });
  expect(found.map(({ event }) => event)).toEqual(events);
  expect(new Set(found.map(({ ref }) => ref))).toEqual(new Set([asked.ref]));
  expect(found.map(({ at, event }) => [at, event.event_type])).toEqual([
    [1000, 'loop.iteration.started'],
    [1000, 'task.started'],
    [2000, 'task.done'],
    [2000, 'task.directive'],
    [2000, 'loop.iteration.done'],
  ]);
});

it('come in parts while the chunk is under way, and only once', () => {
  const { told, asked } = begun();
  const { trace, events, settled } = ran(asked);
  const { ref } = asked;
  const parts: Input[] = [
    { type: 'chunkTold', ref, trace: trace.slice(0, 1) },
    { type: 'chunkSettled', ref, settled, trace: trace.slice(1) },
    { type: 'chunkSettled', ref, settled, trace },
  ];
  const found = parts.map((input) => told.before({ at: 9000, inputs: [input] }).map(({ event }) => event));
  expect(found).toEqual([events.slice(0, 2), events.slice(2), []]);
});

it('leave the batches as they were: a trace may be told again', () => {
  const { told, asked } = begun();
  const { trace, settled } = ran(asked);
  const before = structuredClone(trace);
  told.before({ at: 9000, inputs: [{ type: 'chunkSettled', ref: asked.ref, settled, trace }] });
  expect(trace).toEqual(before);
});

it.each<[string, Input]>([
  [
    'a chunk whose start nobody has shown',
    { type: 'chunkTold', ref: 'many#7[0]', trace: [{ at: 1, inputs: [] }] },
  ],
  ['an input of another kind', { type: 'paused' }],
])('%s has none', (_, input) => {
  expect(begun().told.before({ at: 9000, inputs: [input] })).toEqual([]);
});

it('one that came back without a trace has none', () => {
  const { told, asked } = begun();
  const { settled } = ran(asked);
  expect(told.before({ at: 9000, inputs: [{ type: 'chunkSettled', ref: asked.ref, settled }] })).toEqual([]);
});

it('a chunk gets its step, and nothing that leads away from it', () => {
  const cut: Plan = planOfChunk(plan, 'many');
  expect([cut.start, cut.steps.map(({ name }) => name)]).toEqual(['many', ['many']]);
  const { router, rules, loop } = cut.steps[0]!;
  expect([router, rules, loop !== undefined]).toEqual([undefined, undefined, true]);
  expect([cut.keychain, cut.workload]).toEqual([[], { const: {} }]);
});
