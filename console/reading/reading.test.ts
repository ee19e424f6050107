import fs from 'node:fs';
import path from 'node:path';
import { type CanonicalEvent, Derivation, historyFile } from '../../src/history';
import { fileHistory } from './history';
import { EventCutter } from '../../src/history/json-events';
import { plainConverter } from './stand-ins/codec';

const HISTORIES = path.resolve(__dirname, '../../test/histories/0.1.0');
const FILES = fs.readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));

async function withNode(file: string): Promise<CanonicalEvent[]> {
  const derivation = new Derivation({ bodies: true });
  const events: CanonicalEvent[] = [];
  for await (const page of historyFile(file)) events.push(...(await derivation.take(page)));
  return events;
}

async function asBrowsersDo(files: readonly string[]): Promise<CanonicalEvent[]> {
  const derivation = new Derivation({ bodies: true, converter: plainConverter });
  const events: CanonicalEvent[] = [];
  const blobs = files.map((file) => new Blob([fs.readFileSync(file)]));
  for await (const { events: page } of fileHistory(blobs)) events.push(...(await derivation.take(page)));
  return events;
}

test.each(FILES.filter((name) => name !== 'stored_result.json'))(
  'a browser reads the same in %s',
  async (name) => {
    const file = path.join(HISTORIES, name);
    expect(await asBrowsersDo([file])).toEqual(await withNode(file));
  },
);

test('the runs of a chain may be given in any order', async () => {
  const folder = path.join(HISTORIES, 'continued_as_new');
  const files = fs.readdirSync(folder).map((name) => path.join(folder, name));
  const told = await asBrowsersDo(files);
  expect(await asBrowsersDo([...files].reverse())).toEqual(told);
  await expect(asBrowsersDo([files[0]!, path.join(HISTORIES, 'hello_world.json')])).rejects.toThrow(
    'not runs of one execution',
  );
});

test('a result that is stored elsewhere is told to be absent, and its task is done all the same', async () => {
  const told = await asBrowsersDo([path.join(HISTORIES, 'stored_result.json')]);
  expect(JSON.stringify(told)).toContain('"$not_here":"stored elsewhere"');
  expect(told.filter((event) => event.event_type === 'task.failed')).toEqual([]);
});

test.each([1, 7, 1000])(
  'events are cut out of pieces of %i characters, whatever their texts hold',
  (size) => {
    const events = [{ a: '}]{["\\' }, { b: [{ c: '\\"' }] }, {}];
    const text = JSON.stringify({ note: 'x', events });
    const cutter = new EventCutter();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...cutter.take(text.slice(at, at + size)));
    cutter.end();
    expect(found).toEqual(events);
  },
);
