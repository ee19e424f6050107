import { Streams } from './streams';

test('a caller has so many streams at once, whatever others have, and may open one when one ended', async () => {
  const streams = new Streams(2);
  const ends: (() => void)[] = [];
  const open = (caller: string): Promise<void> =>
    streams.during(caller, () => new Promise((resolve) => ends.push(resolve)));
  const first = open('a');
  const second = open('a');
  await expect(open('a')).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_STREAMS' });
  const other = open('b');
  ends[0]!();
  await first;
  const third = open('a');
  await expect(open('a')).rejects.toMatchObject({ status: 429 });
  for (const end of ends) end();
  await Promise.all([second, third, other]);
});

test('one that fails is open no longer', async () => {
  const streams = new Streams(1);
  const unread = (): Promise<void> =>
    streams.during('a', () => Promise.reject(new Error('a history that cannot be read')));
  await expect(unread()).rejects.toThrow('a history');
  await expect(unread()).rejects.toThrow('a history');
});
