import path from 'node:path';
import { graphOf } from '../../src/language/dsl/graph';
import { type CanonicalEvent, Derivation, historyFile } from '../../src/history';
import { iterationId, spanStateAt } from './spans';
import { Tape } from './tape';

const HISTORIES = path.resolve(__dirname, '../../test/histories/0.1.0');

async function recorded(name: string): Promise<{ tape: Tape; events: CanonicalEvent[] }> {
  const derivation = new Derivation({ bodies: true });
  const events: CanonicalEvent[] = [];
  for await (const page of historyFile(path.join(HISTORIES, name)))
    events.push(...(await derivation.take(page)));
  const tape = new Tape(graphOf(derivation.plan));
  tape.take(events);
  return { tape, events };
}

test('the iterations of a loop are below the run of its step', async () => {
  const { tape } = await recorded('loop_elsewhere.json');
  const run = tape.spans.get('measure#1')!;
  expect(run.children).toHaveLength(40);
  expect(tape.spans.get(iterationId('measure#1', 39))).toMatchObject({ kind: 'iteration', look: 'done' });
});

test('attempts are told apart, with the waiting between them', async () => {
  const { tape } = await recorded('error_path_failed.json');
  const task = tape.spans.get('start#1~1')!;
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
