import { setTimeout as sleep } from 'node:timers/promises';
import { redactor } from '../../../activities/framework/credentials/redact';
import { LineCutter } from './cutter';
import { type LogLine } from './line';
import { ChunkNames, isChunkName, timeOf } from './names';
import { Printer, type PrinterOptions } from './printer';
import { followLines, isPlace, lastLines, logParts, type Placed, storedLines } from './reader';
import { type LogStore } from './store';
import { wantedLines } from './wanted';
import { LogWriter } from './writer';

const of = { step: 'load', task: 'fetch', task_run_id: 'load#1.fetch~1@1', attempt: 1 };
const none = { isNeeded: false, text: (value: string) => value };
const printer = (more: Partial<PrinterOptions> = {}): Printer =>
  new Printer({ of, limit: 1_000_000, hide: none, untilEnd: false, hasRoom: () => true, ...more });
const texts = (lines: readonly LogLine[]): string[] => lines.map(({ stream, line }) => `${stream} ${line}`);

function memoryStore(): LogStore & { readonly kept: Map<string, readonly LogLine[]>; isAway: boolean } {
  const kept = new Map<string, readonly LogLine[]>();
  const store = {
    shown: 'memory',
    kept,
    isAway: false,
    async write(id: string, name: string, lines: readonly LogLine[]) {
      await sleep(1);
      if (store.isAway) throw new Error('away');
      kept.set(`${id}/${name}`, lines);
    },
    names: async (id: string, after: string, count: number) =>
      [...kept.keys()]
        .filter((key) => key.startsWith(`${id}/`) && key > `${id}/${after}`)
        .map((key) => key.slice(id.length + 1))
        .sort()
        .slice(0, count),
    read: async (id: string, name: string) => kept.get(`${id}/${name}`),
  };
  return store;
}

async function gathered(read: AsyncIterable<readonly Placed[]>): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of read) lines.push(...some.map(({ line }) => line.line));
  return lines;
}

test('lines come out of any cut of their bytes', () => {
  const bytes = Buffer.from('eins\r\nzwei ä€😀\n\ndrei');
  for (const size of [1, 2, 3, 5, 100]) {
    const cutter = new LineCutter();
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size) lines.push(...cutter.push(bytes.subarray(at, at + size)));
    expect([...lines, ...cutter.end()]).toEqual(['eins', 'zwei ä€😀', '', 'drei']);
  }
  const long = new LineCutter();
  const pieces = [...long.push(Buffer.alloc(150_000, 'x')), ...long.push(Buffer.from('y\n')), ...long.end()];
  expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536, 150_001 - 2 * 65_536]);
});

test('stdout and stderr stay in the order in which they came', () => {
  const one = printer();
  one.write('stdout', Buffer.from('a\nb'));
  one.write('stderr', Buffer.from('c\n'));
  one.write('stdout', Buffer.from('d\n'));
  expect(texts(one.take())).toEqual(['stdout a', 'stderr c', 'stdout bd']);
  one.write('stdout', Buffer.from('no end'));
  expect(one.take()).toEqual([]);
  expect(texts(one.end('EXIT_3: it failed'))).toEqual(['stdout no end', 'error EXIT_3: it failed']);
});

test('a secret is in no line, also when it is broken over lines that do not come at once', () => {
  const hide = redactor();
  hide.add(['canary-secret-of-the-house']);
  const folded = Buffer.from('canary-secret-of-the-house')
    .toString('base64')
    .match(/.{1,10}/g)!;
  for (let look = 0; look < folded.length; look++) {
    const one = printer({ hide });
    const lines: LogLine[] = [];
    one.write('stdout', Buffer.from('before canary-secret-of-the-house\n'));
    folded.forEach((piece, index) => {
      one.write('stdout', Buffer.from(`${piece}\n`));
      if (index === look) lines.push(...one.take());
      one.write('stderr', Buffer.from('between\n'));
    });
    one.write('stdout', Buffer.from('after\n'));
    lines.push(...one.take(), ...one.end('X: canary-secret-of-the-house'));
    const said = lines.map(({ line }) => line).join('\n');
    expect(said).toMatch(/before \[redacted\]/);
    expect(said).toMatch(/after[^]*X: \[redacted\]$/);
    expect(lines.filter(({ line }) => line === 'between')).toHaveLength(folded.length);
    for (const piece of folded) expect(said).not.toContain(piece);
    expect(said).not.toContain('canary');
  }
});

const LEAD = 16 * 1024;

test('what a task prints is kept up to its limit, to the byte; of what is beyond, the end, and the rest is counted', () => {
  const one = printer({ limit: 10, ending: 8 });
  one.write('stdout', Buffer.from('12345678\nabc\nde\n'));
  for (let n = 0; n < LEAD / 2; n++) one.write(n % 2 ? 'stdout' : 'stderr', Buffer.from('xyz\n'));
  one.write('stderr', Buffer.from('why\n'));
  one.write('stdout', Buffer.from('end'));
  expect(texts(one.end('E: it failed'))).toEqual([
    'stdout 12345678',
    'stdout a',
    `notice ${LEAD / 2 + 1} lines (${2 * LEAD + 5} bytes) were dropped: a task may print 10 bytes; the end follows`,
    'stderr why',
    'stdout end',
    'error E: it failed',
  ]);
});

test('an end that follows at once is no loss, and one that was stored after all is no end', () => {
  const one = printer({ limit: 10, ending: 8 });
  one.write('stdout', Buffer.from('12345678\nabc\n'));
  one.write('stdout', Buffer.from('de\n'));
  expect(texts(one.end())).toEqual(['stdout 12345678', 'stdout abc', 'stdout de']);
  let hasRoom = false;
  const slow = printer({ hasRoom: () => hasRoom });
  slow.write('stdout', Buffer.from('lost\n'));
  hasRoom = true;
  slow.write('stdout', Buffer.from('kept\n'));
  hasRoom = false;
  slow.write('stdout', Buffer.from('the end\n'));
  expect(texts(slow.end())).toEqual([
    'stdout kept',
    'stdout the end',
    'notice 1 lines (5 bytes) were dropped: it came faster than this worker could store it',
  ]);
});

test('a secret that the beginning of the end cuts is not in it, nor one that is broken over its lines', () => {
  const secret = 'canary-secret-of-the-house';
  for (let cut = 0; cut <= secret.length + 2; cut++) {
    const hide = redactor();
    hide.add([secret]);
    const one = printer({ hide, limit: 10, ending: 40 });
    const after = `\n${'-'.repeat(40 - cut)}\n`;
    one.write('stdout', Buffer.from(`${'0123456789\n'.repeat(3_000)}${secret}${after}`));
    const said = texts(one.end()).join('\n');
    expect(said).not.toMatch(/canary|secret|house/);
  }
  const folded = Buffer.from(secret.repeat(3))
    .toString('base64')
    .match(/.{1,10}/g)!;
  const hide = redactor();
  hide.add([secret.repeat(3)]);
  const one = printer({ hide, limit: 10, ending: 60 });
  one.write('stdout', Buffer.from(`${'0123456789\n'.repeat(3_000)}${folded.join('\n')}\nlast\n`));
  const said = texts(one.end()).join('\n');
  for (const piece of folded) expect(said).not.toContain(piece);
  expect(said).toMatch(/last$/);
});

test('what is sensitive is known at the end: nothing is said before', () => {
  const hide = redactor();
  const one = printer({ hide, untilEnd: true });
  one.write('stdout', Buffer.from('the token is 0123456789\n'));
  expect(one.take()).toEqual([]);
  hide.add(['0123456789']);
  expect(texts(one.end())).toEqual(['stdout the token is [redacted]']);
});

test('names sort by time, those of one writer by number, also when the clock steps back', () => {
  const names = new ChunkNames();
  const made = [1000, 1000, 900, 1001].map((now) => names.next(now, 3));
  expect(made).toEqual([...made].sort());
  expect(made.every(isChunkName)).toBe(true);
  expect(made.map(timeOf)).toEqual([1000, 1000, 1000, 1001]);
  expect([`${made[0]}.0`, made[0]!, `${made[0]}.x`, '../../etc.0', `${made[0]}.0/..`].map(isPlace)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a reader goes on behind any place, and misses nothing', async () => {
  const store = memoryStore();
  const names = new ChunkNames();
  const lines = Array.from(
    { length: 25 },
    (_, index) => ({ at: '', ...of, stream: 'stdout', line: `${index}` }) as const,
  );
  for (let at = 0; at < lines.length; at += 10)
    await store.write('7', names.next(1, Math.min(10, lines.length - at)), lines.slice(at, at + 10));
  await store.write('77', names.next(1, 1), [{ ...lines[0]!, line: 'of another' }]);
  const places: Placed[] = [];
  for await (const some of storedLines(store, '7')) places.push(...some);
  expect(places.map(({ line }) => line.line)).toEqual(lines.map(({ line }) => line));
  for (const after of [0, 9, 10, 24])
    expect(await gathered(storedLines(store, '7', places[after]!.id))).toEqual(
      lines.slice(after + 1).map(({ line }) => line),
    );
});

test('where the lines of a long log are is known without reading them; of those that are looked for, by reading some at a time', async () => {
  const store = memoryStore();
  const names = new ChunkNames();
  const total = 120_000;
  for (let at = 0; at < total;) {
    const count = Math.min(total - at, [1, 700, 2_000][at % 3]!);
    const lines = Array.from({ length: count }, (_, n): LogLine => {
      const number = at + n;
      const error = number % 40_000 === 39_999;
      const line = error ? 'EXIT_1: \u001b[31mno\u001b[0m good' : `line ${number}`;
      return { at: '', ...of, iteration: number % 7, stream: error ? 'error' : 'stdout', line };
    });
    store.kept.set(`7/${names.next(at, count)}`, lines);
    at += count;
  }
  const all: Placed[] = [];
  for await (const some of storedLines(store, '7')) all.push(...some);
  const read = jest.spyOn(store, 'read');
  const { parts, searched, next } = await logParts(store, '7');
  expect(read).not.toHaveBeenCalled();
  expect([searched, next]).toEqual([total, undefined]);
  expect(Math.max(...parts.map(({ lines }) => lines))).toBe(500);
  let at = 0;
  for (const part of parts) {
    expect(part.from).toBe(all[at]!.id);
    at += part.lines;
  }
  expect(at).toBe(total);
  // From any place on, the place included.
  const from = all[101_234]!.id;
  expect((await logParts(store, '7', from)).searched).toBe(total - 101_234);
  const found = async (
    filter: Parameters<typeof wantedLines>[0],
  ): Promise<[places: string[], asked: number]> => {
    const places: string[] = [];
    for (let begin: string | undefined, asked = 1; ; asked++) {
      const answer = await logParts(store, '7', begin, wantedLines(filter));
      expect(answer.searched).toBeLessThan(60_000);
      places.push(...answer.parts.flatMap((part) => Array<string>(part.lines).fill(part.from)));
      if (answer.next === undefined) return [places, asked];
      begin = answer.next;
    }
  };
  expect(await found({ stream: 'error' })).toEqual([[39_999, 79_999, 119_999].map((n) => all[n]!.id), 3]);
  expect((await found({ text: 'NO GOOD' }))[0]).toHaveLength(3);
  expect((await found({ iteration: 3 }))[0]).toHaveLength(Math.ceil((total - 3) / 7));
  expect((await found({ task: 'load#1', step: 'load' }))[0]).toHaveLength(total);
  expect((await found({ task: 'load#1.fetch~1' }))[0]).toHaveLength(total);
  expect((await found({ task: 'load#11' }))[0]).toHaveLength(0);
});

test('the end is read without the rest, also of some of the lines', async () => {
  const store = memoryStore();
  const names = new ChunkNames();
  for (let chunk = 0; chunk < 1_200; chunk++) {
    const line = (n: number): LogLine => ({
      at: '',
      ...of,
      stream: n % 2 ? 'stdout' : 'stderr',
      line: `${chunk}.${n}`,
    });
    store.kept.set(`7/${names.next(1, 3)}`, [0, 1, 2].map(line));
  }
  const read = jest.spyOn(store, 'read');
  const last = async (count: number, isWanted: (line: LogLine) => boolean = () => true): Promise<string[]> =>
    (await lastLines(store, '7', count, isWanted)).map(({ line }) => line.line);
  expect(await last(4)).toEqual(['1198.2', '1199.0', '1199.1', '1199.2']);
  expect(read).toHaveBeenCalledTimes(2);
  expect(await last(2, ({ stream }) => stream === 'stdout')).toEqual(['1198.1', '1199.1']);
  expect((await last(10_000)).length).toBe(3_600);
  expect(await lastLines(store, '8', 5, () => true)).toEqual([]);
});

test('a line is read within a second of being printed, while another worker whose clock is behind prints too', async () => {
  const store = memoryStore();
  const writer = new LogWriter(store);
  const stop = new AbortController();
  const seen = new Map<string, number>();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const reading = (async () => {
    const options = { signal: stop.signal, ended };
    for await (const some of followLines(store, '7', options))
      for (const { line } of some) seen.set(line.line, performance.now());
  })();
  const printed = new Map<string, number>();
  const one = writer.open({ execution_id: '7', of, hide: none });
  const late = new ChunkNames();
  const begun = performance.now();
  for (let number = 0; number < 5; number++) {
    printed.set(`line ${number}`, performance.now());
    one.write('stdout', Buffer.from(`line ${number}\n`));
    await store.write('7', late.next(Date.now() - 20_000, 1), [
      { at: '', ...of, stream: 'stdout', line: `late ${number}` },
    ]);
    await sleep(150);
  }
  // What the pauses took beyond their time, a busy machine took from the reader too.
  const held = performance.now() - begun - 5 * 150;
  writer.close(one);
  end();
  await reading;
  expect([...seen.keys()].filter((line) => line.startsWith('late'))).toHaveLength(5);
  for (const [line, at] of printed) expect(seen.get(line)! - at).toBeLessThan(5000 + 4 * held);
});

test('10,000 lines a second of a task with secrets all arrive, in order', async () => {
  const store = memoryStore();
  const writer = new LogWriter(store);
  const hide = redactor();
  hide.add(['canary-secret-of-the-house', 'another-secret-value']);
  const one = writer.open({ execution_id: '7', of, hide });
  const text = (number: number): string =>
    `line ${number} of a tool that prints some eighty characters, as tools do, and so on`;
  const started = performance.now();
  for (let number = 0; number < 20_000;) {
    const due = Math.min(20_000, Math.floor((performance.now() - started) * 10));
    let chunk = '';
    for (; number < due; number++) chunk += `${text(number)}\n`;
    one.write('stdout', Buffer.from(chunk));
    await sleep(5);
  }
  writer.close(one);
  await writer.flush();
  const lines = await gathered(storedLines(store, '7'));
  expect(lines).toHaveLength(20_000);
  expect(lines.every((line, number) => line === text(number))).toBe(true);
});

test('a store that is away costs lines only when it stays away, and its absence is reported', async () => {
  const store = memoryStore();
  const reports: string[] = [];
  const writer = new LogWriter(store, { lost: (lines, why) => reports.push(`${lines}: ${why}`) });
  const one = writer.open({ execution_id: '7', of, hide: none });
  store.isAway = true;
  one.write('stdout', Buffer.from('a\n'));
  const flushed = writer.flush();
  await sleep(250);
  store.isAway = false;
  one.write('stdout', Buffer.from('b\n'));
  writer.close(one);
  await flushed;
  await writer.flush();
  expect(await gathered(storedLines(store, '7'))).toEqual(['a', 'b']);
  expect(reports).toEqual([]);
});
