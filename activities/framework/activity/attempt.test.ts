import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { ApplicationFailure } from '@temporalio/common';
import { cases } from '../../../test/support/properties';
import { until } from '../../../test/support/until';
import { type ActivityPort, Attempt } from './attempt';

/** Temporal as far as one activity sees it: the last heartbeat, which outlives an execution, and all there were. */
class Server {
  last: unknown;
  attempt = 0;
  readonly said: string[] = [];
  /** What happens to calls of our own. */
  answer: () => Promise<{ stop: boolean }> = () => Promise.resolve({ stop: false });

  next(isToRecord = false): Attempt {
    this.attempt++;
    const tell: ActivityPort['tell'] = async (details) => {
      const answer = await this.answer();
      this.take('told', details);
      return answer;
    };
    const heartbeat = (details: unknown): void => this.take('sdk', details);
    const info = { attempt: this.attempt, heartbeatDetails: this.last };
    const { signal } = new AbortController();
    return new Attempt(
      { cancellationSignal: signal, cancelled: new Promise(() => undefined), heartbeat, tell, info },
      't',
      isToRecord,
    );
  }

  private take(how: string, details: unknown): void {
    this.last = details;
    this.said.push(`${how} ${(details as { standing?: string }).standing ?? 'begun'}`);
  }
}

/** A promise and what settles it. */
function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve: (value) => resolve(value) };
}

test('a task that need not wait begins without a word', async () => {
  const server = new Server();
  expect(await server.next().waitFor(Promise.resolve(7))).toBe(7);
  expect(server.said).toEqual([]);
});

test('a task that waits says so in calls of its own, and that it begins before it does', async () => {
  const server = new Server();
  const attempt = server.next();
  const beats = setInterval(() => attempt.beat(), 20);
  const told = (): string[] => server.said.filter((one) => one.startsWith('told'));
  const resource = deferred<undefined>();
  const waiting = attempt.waitFor(resource.promise);
  await until(() => told().length === 2);
  resource.resolve(undefined);
  await waiting;
  clearInterval(beats);
  expect(told()).toEqual(['told waiting', 'told waiting', 'told begun']);
  // Heartbeats of the SDK arrive when it likes: none of them may say that the task waits.
  expect(server.said).not.toContain('sdk waiting');
  expect(server.said.at(-1)).toMatch(/begun$/);
  await attempt.waitFor(sleep(400));
  expect(server.said.at(-1)).toMatch(/begun$/);
});

test('what a task records is acknowledged, and nothing that was said before it can arrive after it', async () => {
  const server = new Server();
  const attempt = server.next(true);
  attempt.beat();
  expect(server.said).toEqual([]);
  await attempt.record({ xid: '7' });
  expect(server.said).toContain('told begun');
  attempt.beat();
  expect(server.last).toMatchObject({ details: { xid: '7' } });
  expect(server.next().lastHeartbeat).toEqual({ xid: '7' });
});

test('what may not have been recorded gives the task back', async () => {
  const server = new Server();
  server.answer = () => Promise.reject(new Error('unavailable'));
  const attempt = server.next(true);
  await expect(attempt.record({ xid: '7' })).rejects.toThrow('handed back');
  expect(() => attempt.throwIfHandedBack()).toThrow(ApplicationFailure);
});

test('a beginning that Temporal acknowledges late begins late', async () => {
  const server = new Server();
  const attempt = server.next();
  let acknowledge = (): void => undefined;
  const resource = deferred<undefined>();
  let began = false;
  const beginning = attempt.waitFor(resource.promise).then(() => (began = true));
  await until(() => server.said.length === 1);
  const asked = deferred<undefined>();
  server.answer = () => {
    asked.resolve(undefined);
    return new Promise((resolve) => (acknowledge = () => resolve({ stop: false })));
  };
  resource.resolve(undefined);
  await asked.promise;
  await sleep(50);
  expect(began).toBe(false);
  acknowledge();
  await beginning;
  expect(server.said).toEqual(['told waiting', 'told begun']);
});

test.each(['waiting', 'begun'])(
  'where Temporal did not acknowledge “%s”, the task does not begin: it is given back',
  async (which) => {
    const server = new Server();
    const attempt = server.next();
    const given: number[] = [];
    let refusals = 0;
    const refuse = (): Promise<never> => {
      refusals++;
      return Promise.reject(new Error('unavailable'));
    };
    if (which === 'waiting') server.answer = refuse;
    const resource = deferred<number>();
    const waiting = attempt.waitFor(resource.promise, (got) => given.push(got));
    waiting.catch(() => undefined);
    await until(() => (which === 'waiting' ? refusals > 0 : server.said.length > 0));
    server.answer = which === 'begun' ? refuse : () => Promise.resolve({ stop: false });
    resource.resolve(7);
    await expect(waiting).rejects.toThrow('handed back');
    expect(given).toEqual([7]);
    let failure: unknown;
    try {
      attempt.throwIfHandedBack();
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ nonRetryable: false, type: 'TaskWaiting' });
    expect(server.next().isExhausted).toBe(false);
  },
);

/** The ways in which an execution is lost. */
const FATES = {
  silent: async () => undefined,
  beats: async (attempt: Attempt) => attempt.beat(),
  told: async (attempt: Attempt) => attempt.say({ row: 1 }),
  waiting: (attempt: Attempt) => waitedBriefly(attempt, false),
  begunAfterWaiting: (attempt: Attempt) => waitedBriefly(attempt, true),
  stopped: async (attempt: Attempt) => void attempt.stopped(),
} as const;
type Fate = keyof typeof FATES;
const FREE = new Set<Fate>(['waiting', 'stopped']);

/** Waits until it has been told, and goes on or is lost. */
async function waitedBriefly(attempt: Attempt, goesOn: boolean): Promise<void> {
  let go = (): void => undefined;
  const waiting = attempt.waitFor(new Promise<void>((resolve) => (go = resolve)));
  await jest.advanceTimersByTimeAsync(300);
  if (!goesOn) return;
  go();
  await waiting;
}

/** @returns the executions there were before one was refused */
async function lose(fates: readonly Fate[]): Promise<Fate[]> {
  const server = new Server();
  const had: Fate[] = [];
  for (const fate of fates) {
    const attempt = server.next();
    if (attempt.isExhausted) break;
    had.push(fate);
    await FATES[fate](attempt);
  }
  return had;
}

/** As docs/guarantees.md promises. */
const BEGUN = 5;
const FREE_LOSSES = 10;

describe('losses', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each<[Fate[], number]>([
    [Array<Fate>(20).fill('silent'), BEGUN],
    [Array<Fate>(20).fill('beats'), BEGUN],
    [Array<Fate>(20).fill('begunAfterWaiting'), BEGUN],
    [Array<Fate>(20).fill('waiting'), FREE_LOSSES + 1],
    [Array<Fate>(20).fill('stopped'), FREE_LOSSES + 1],
    [[...Array<Fate>(4).fill('waiting'), ...Array<Fate>(6).fill('silent')], 9],
    [['silent', 'waiting', 'silent', 'waiting', 'told', 'silent', 'told', 'silent'], 7],
  ])('%j: %d executions', async (fates, count) => {
    expect(await lose(fates)).toHaveLength(count);
  });

  test('whatever happens in whatever order, a task begins at most five times, and what is free is free', async () => {
    const fate = fc.constantFrom(...(Object.keys(FATES) as Fate[]));
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { minLength: 16, maxLength: 16 }), async (fates) => {
        const had = await lose(fates);
        const free = had.filter((one) => FREE.has(one)).length;
        const begun = had.length - free;
        expect(begun).toBeLessThanOrEqual(BEGUN);
        if (had.length < fates.length) expect(begun === BEGUN || free === FREE_LOSSES + 1).toBe(true);
      }),
      cases(200),
    );
  });
});
