import { askedWorker } from './asked';
import { answerAsks } from './answering';
import { type CompileAsk, LOADED } from './protocol';

interface Answers {
  double(value: number): number;
  hang(): void;
  know(value: string): void;
}

/** Stand for what browsers have: `hang` never comes to an answer. */
class StandInWorker {
  static readonly all: StandInWorker[] = [];
  onmessage: ((event: { data: unknown }) => void) | undefined;
  readonly asks: CompileAsk[] = [];
  isEnded = false;

  constructor() {
    StandInWorker.all.push(this);
    void Promise.resolve().then(() => this.onmessage?.({ data: { id: LOADED, value: undefined } }));
  }

  postMessage(ask: CompileAsk): void {
    this.asks.push(ask);
    const [value] = ask.args;
    if (ask.method === 'double')
      void Promise.resolve().then(() => this.onmessage?.({ data: { id: ask.id, value: 2 * Number(value) } }));
  }

  terminate(): void {
    this.isEnded = true;
  }
}

const asked = () =>
  askedWorker<Answers>('x', { methods: ['double', 'hang', 'know'], limitMs: 1_000, kept: 'know' });

beforeEach(() => {
  jest.useFakeTimers();
  StandInWorker.all.length = 0;
  Object.assign(globalThis, { Worker: StandInWorker });
});
afterEach(() => {
  jest.useRealTimers();
  Reflect.deleteProperty(globalThis, 'Worker');
});

test('a worker is started by the first question, and answers', async () => {
  const worker = asked();
  expect(StandInWorker.all).toHaveLength(0);
  expect(await Promise.all([worker.double(2), worker.double(3)])).toEqual([4, 6]);
  expect(StandInWorker.all).toHaveLength(1);
});

test('one that does not come to an answer is ended, and the next question has another, which knows what that knew', async () => {
  const worker = asked();
  worker.know('names').catch(() => undefined);
  const stuck = worker.hang();
  const failed = expect(stuck).rejects.toThrow('This took longer than 1 s and was stopped.');
  await jest.advanceTimersByTimeAsync(1_000);
  await failed;
  expect(StandInWorker.all[0]!.isEnded).toBe(true);
  expect(await worker.double(4)).toBe(8);
  expect(StandInWorker.all[1]!.asks.map(({ method }) => method)).toEqual(['know', 'double']);
});

test('one that was ended lets nobody wait', async () => {
  const worker = asked();
  const stuck = worker.hang();
  worker.end('Stopped.');
  await expect(stuck).rejects.toThrow('Stopped.');
});

test('the side of the worker answers by the name of the method, and tells what went wrong', () => {
  const messages: unknown[] = [];
  let hear: (event: { data: CompileAsk }) => void = () => undefined;
  Object.assign(globalThis, {
    postMessage: (message: unknown) => messages.push(message),
    addEventListener: (_: string, listener: typeof hear) => (hear = listener),
  });
  answerAsks({
    double: (value: number) => 2 * value,
    hang: () => {
      throw new Error('no');
    },
  });
  hear({ data: { id: 7, method: 'double', args: [4] } });
  hear({ data: { id: 8, method: 'hang', args: [] } });
  expect(messages).toEqual([
    { id: LOADED, value: undefined },
    { id: 7, value: 8 },
    { id: 8, problem: 'no' },
  ]);
  Reflect.deleteProperty(globalThis, 'postMessage');
  Reflect.deleteProperty(globalThis, 'addEventListener');
});
