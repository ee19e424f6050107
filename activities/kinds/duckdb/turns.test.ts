import { FileTurns } from './turns';

const never = new AbortController().signal;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes turns, and keeps the order in which they came. */
function asking(turns: FileTurns, came: string[]) {
  return (name: string, alone: boolean, signal = never): Promise<() => void> =>
    turns.take('f', alone, signal).then((done) => (came.push(name), done));
}

test('several at a time, one alone, in the order of asking', async () => {
  const came: string[] = [];
  const ask = asking(new FileTurns(), came);
  const [a, b, c, d, e] = [
    ask('a', false),
    ask('b', false),
    ask('C', true),
    ask('d', false),
    ask('e', false),
  ];
  await soon();
  expect(came).toEqual(['a', 'b']);
  (await a)();
  await soon();
  expect(came).toEqual(['a', 'b']);
  (await b)();
  await soon();
  expect(came).toEqual(['a', 'b', 'C']);
  const back = await c;
  back();
  back(); // twice is once
  await soon();
  expect(came).toEqual(['a', 'b', 'C', 'd', 'e']);
  (await d)();
  (await e)();
});

test('who stops waiting lets those behind him go', async () => {
  const came: string[] = [];
  const ask = asking(new FileTurns(), came);
  const a = await ask('a', false);
  const stop = new AbortController();
  const alone = ask('B', true, stop.signal);
  const c = ask('c', false);
  await soon();
  expect(came).toEqual(['a']);
  stop.abort();
  await expect(alone).rejects.toThrow('stopped');
  (await c)();
  a();
  await expect(ask('d', true, AbortSignal.abort())).rejects.toThrow('stopped');
  (await ask('E', true))();
  expect(came).toEqual(['a', 'c', 'E']);
});
