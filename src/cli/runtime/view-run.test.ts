import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { plainConverter } from '../../storage/codec';
import { Derivation, type HistoryEvent, historyFile } from '../../history';
import { contentOf } from './view-run';

test('a run is read once for its page, which has all of its history', async () => {
  const file = path.resolve(__dirname, '../../../test/histories/0.1.0/fan_out_reduce.json');
  let reads = 0;
  const pages = async function* (): AsyncGenerator<readonly HistoryEvent[]> {
    reads++;
    yield* historyFile(file);
  };
  const { history, events } = await contentOf({ pages, converter: plainConverter });
  expect(reads).toBe(1);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-view-'));
  const inPage = path.join(folder, 'history.json');
  fs.writeFileSync(inPage, history);
  const derived = [];
  for (const from of [file, inPage]) {
    const derivation = new Derivation({ bodies: true });
    const all = [];
    for await (const page of historyFile(from)) all.push(...(await derivation.take(page)));
    derived.push(all);
  }
  fs.rmSync(folder, { recursive: true });
  expect(derived[1]).toEqual(derived[0]);
  expect(events).toBe(derived[0]!.length);
});
