import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { historyFile, inChainOrder } from './file';

const GOLDEN = path.resolve(__dirname, '../../test/histories/0.1.0/streaming_pagination.json');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-history-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}
async function read(name: string): Promise<number[]> {
  const ids: number[] = [];
  for await (const chunk of historyFile(name)) ids.push(...chunk.map((event) => Number(event.eventId)));
  return ids;
}

test('reads every event, in order, in chunks that never cut a workflow task from what it asked for', async () => {
  const { events } = JSON.parse(fs.readFileSync(GOLDEN, 'utf8')) as { events: object[] };
  expect(await read(GOLDEN)).toEqual(events.map((_, i) => i + 1));
  for await (const chunk of historyFile(GOLDEN)) {
    const [first] = chunk;
    expect(
      first!.workflowExecutionStartedEventAttributes ?? first!.workflowTaskScheduledEventAttributes,
    ).toBeTruthy();
  }
});

test('brackets and quotes inside of texts do not mislead it, nor does a list without a name', async () => {
  const event = { eventId: '1', markerRecordedEventAttributes: { markerName: 'a "}]{[" \\ b' } };
  expect(await read(file('odd.json', JSON.stringify({ events: [event] })))).toEqual([1]);
  expect(await read(file('list.json', JSON.stringify([event, { ...event, eventId: '2' }])))).toEqual([1, 2]);
});

test.each([
  ['a file that ends in the middle', () => fs.readFileSync(GOLDEN, 'utf8').slice(0, 20_000), /is incomplete/],
  ['a list of something else', () => '{"events": [{"a": 1}]}', /Missing attributes/],
  ['no list at all', () => '{"a": 1}', /has no list of events/],
  ['an empty list', () => '{"events": []}', /contains no history event/],
])('refuses %s', async (name, text, message) => {
  await expect(read(file(`${name}.json`, text()))).rejects.toThrow(message);
});

test('puts the files of a chain in their order, and says when one is missing', async () => {
  const run = (id: string, continues: string): string =>
    file(
      `${id}.json`,
      JSON.stringify({
        events: [
          {
            eventId: '1',
            workflowExecutionStartedEventAttributes: {
              originalExecutionRunId: id,
              continuedExecutionRunId: continues,
            },
          },
        ],
      }),
    );
  const [a, b, c] = [run('a', ''), run('b', 'a'), run('c', 'b')] as const;
  expect(await inChainOrder([c, a, b])).toEqual([a, b, c]);
  await expect(inChainOrder([c, a])).rejects.toThrow(/one in between is missing/);
});
