import path from 'node:path';
import { graphOf } from '../../src/language/dsl/graph';
import { type CanonicalEvent, Derivation, historyFile } from '../../src/history';
import { type Moment } from '../../src/history/moment';
import { iterationId, spanStateAt } from './spans';
import { Tape } from './tape';

const HISTORIES = path.resolve(__dirname, '../../test/histories/v1');

async function recorded(
  name: string,
): Promise<{ tape: Tape; events: CanonicalEvent[]; derivation: Derivation }> {
  const derivation = new Derivation({ bodies: true });
  const events: CanonicalEvent[] = [];
  for await (const page of historyFile(path.join(HISTORIES, name)))
    events.push(...(await derivation.take(page)));
  const tape = new Tape(graphOf(derivation.plan));
  tape.take(events);
  return { tape, events, derivation };
}

const looks = ({ steps }: Moment): Record<string, string> =>
  Object.fromEntries([...steps].map(([step, { look }]) => [step, look]));

test.each(['loop_elsewhere', 'error_path_rescued', 'streaming_pagination', 'fan_out_reduce'])(
  'the end of the tape is the state of the engine: %s',
  async (name) => {
    const { tape, derivation } = await recorded(`${name}.json`);
    const end = tape.at(tape.events.length);
    const { state } = derivation;
    expect(end.variables).toEqual(state.ctx);
    expect(end.workload).toEqual(state.workload);
    expect(end.status.toLowerCase()).toBe(state.status);
    expect([...end.tokens.keys()]).toEqual(Object.keys(state.tokens));
    expect(looks(end)).toEqual(
      Object.fromEntries(
        state.executed.map((step) => [step, state.results[step]?.status === 'ok' ? 'done' : 'failed']),
      ),
    );
  },
);

test('every moment is the same whether the tape is wound there or played', async () => {
  const { tape, events } = await recorded('loop_elsewhere.json');
  for (let count = 0; count <= events.length; count += 17) {
    const played = new Tape(tape.graph);
    played.take(events.slice(0, count));
    expect(tape.at(count)).toEqual(played.at(count));
  }
});

test('a loop tells how far it is, and its iterations are below the run of its step', async () => {
  const { tape, events } = await recorded('loop_elsewhere.json');
  const half = events.findIndex(
    (event) => event.event_type === 'loop.iteration.done' && event.iteration === 20,
  );
  const { loop } = tape.at(half + 1).steps.get('measure')!;
  expect(loop!.total).toBe(40);
  expect(loop!.done).toBe(
    events.slice(0, half + 1).filter((e) => e.event_type === 'loop.iteration.done').length,
  );
  const run = tape.spans.get('measure#1')!;
  expect(run.children).toHaveLength(40);
  expect(tape.spans.get(iterationId('measure#1', 39))).toMatchObject({ kind: 'iteration', look: 'done' });
});

test('attempts are told apart, with the waiting between them', async () => {
  const { tape } = await recorded('error_path_failed.json');
  const task = tape.spans.get('start#1.start_task~1')!;
  expect(task.children.map(({ look }) => look)).toEqual(['failed', 'failed', 'done']);
  expect(task.parts.map(({ kind }) => kind).filter((kind) => kind === 'waiting')).toHaveLength(2);
  expect(task.parts.filter(({ kind }) => kind === 'work').map(({ failed }) => failed ?? false)).toEqual([
    true,
    true,
    false,
  ]);
  for (const [index, part] of task.parts.entries())
    expect(part.from).toBeGreaterThanOrEqual(task.parts[index - 1]?.to ?? 0);
  expect(spanStateAt(task, task.from - 1)).toBe('waiting');
  expect(spanStateAt(task, task.from)).toBe('running');
  expect(spanStateAt(task, task.to!)).toBe('done');
});

test('tasks that wait for something outside are asleep until it comes', async () => {
  const { tape, events } = await recorded('wait_event.json');
  const came = events.findIndex((event) => event.event_type === 'external.received');
  expect(looks(tape.at(came))['approval']).toBe('asleep');
  expect([...tape.at(came).waits.values()]).toMatchObject([{ step: 'approval', event: 'approved' }]);
  expect(tape.at(events.length).waits.size).toBe(0);
  expect(looks(tape.at(events.length))['approval']).toBe('done');
});
