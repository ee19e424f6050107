import { deflateRawSync } from 'node:zlib';
import { unseenAfter } from '../../../history';
import { type Block } from './rows';
import { type Line, Spool } from './spool';

/** Events `from` to `to` of a run, each with a row. */
function block(from: number, to: number, run = '0'): Block {
  const ids = Array.from({ length: to - from + 1 }, (_, n) => `7/${run}/${from + n}/0`);
  const text = ids.map((id) => `${id}\ttask.done\t{"id":"${id}"}\n`).join('');
  return { bytes: deflateRawSync(text), rows: ids.length, lastId: ids.at(-1)!, lastSeq: to };
}

const idsOf = (lines: readonly Line[] = []): string[] => lines.map(({ event_id }) => event_id.slice(2));
const all = unseenAfter(undefined);
let spool: Spool;
beforeEach(() => (spool = new Spool()));
afterEach(() => spool.close());

test('pages by number are cut out of blocks', async () => {
  for (const one of [block(1, 4), block(5, 5), block(6, 9)]) await spool.put(one);
  spool.end();
  const page = async (first: number, count: number, isUnseen = all): Promise<[string[], number]> => {
    const { lines, total } = await spool.page(first, count, isUnseen);
    return [idsOf(lines), total];
  };
  expect(await page(0, 3)).toEqual([['0/1/0', '0/2/0', '0/3/0'], 9]);
  expect(await page(3, 3)).toEqual([['0/4/0', '0/5/0', '0/6/0'], 9]);
  expect(await page(8, 3)).toEqual([['0/9/0'], 9]);
  expect(await page(9, 3)).toEqual([[], 9]);
  expect(await page(0, 2, unseenAfter('7/0/3/0'))).toEqual([['0/4/0', '0/5/0'], 6]);
  expect(await page(2, 2, unseenAfter('7/0/3/0'))).toEqual([['0/6/0', '0/7/0'], 6]);
  expect(await page(0, 2, unseenAfter('7/0/9/0'))).toEqual([[], 0]);
});

test('a reader waits for the next block, from any place, and hears why there is none', async () => {
  const second = spool.block(1);
  await spool.put(block(1, 2));
  await spool.put(block(3, 4));
  expect(idsOf(await second)).toEqual(['0/3/0', '0/4/0']);
  expect(spool.firstUnseen(unseenAfter('7/0/3/0'))).toBe(1);
  expect(spool.firstUnseen(unseenAfter('7/0/4/0'))).toBe(2);
  const third = spool.block(2);
  spool.end({ error: new Error('away') });
  await expect(third).rejects.toThrow('away');
  expect(idsOf(await spool.block(0))).toEqual(['0/1/0', '0/2/0']);
});

test('after a reset the new run follows, and a client of the old one gets all of it', async () => {
  await spool.put(block(1, 9));
  await spool.put(block(4, 6, '0~1f0c9a2b'));
  spool.end();
  const { lines, total } = await spool.page(0, 9, unseenAfter('7/0/9/0'));
  expect([idsOf(lines), total]).toEqual([['0~1f0c9a2b/4/0', '0~1f0c9a2b/5/0', '0~1f0c9a2b/6/0'], 3]);
});
