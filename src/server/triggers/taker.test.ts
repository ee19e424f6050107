/** What a taker does with a source in memory: settles everything, gives back what cannot be started now. */
import { compileTrigger } from '../../language/dsl';
import { type DeadLetters } from './dead-letters';
import { Dispatcher, type StartMessage } from './dispatcher';
import { type OpenSource, type SourceMessage } from './source';
import { Taker } from './taker';

/** Messages that are delivered until they are acknowledged. */
class MemorySource {
  readonly acknowledged: string[] = [];
  readonly delivered: string[] = [];
  readonly takes: number[] = [];
  opened = 0;

  constructor(readonly waiting: string[]) {}

  open(): Promise<OpenSource> {
    this.opened += 1;
    return Promise.resolve({
      take: (most) => {
        this.takes.push(most);
        this.delivered.push(...this.waiting.slice(0, most));
        return Promise.resolve(this.waiting.slice(0, most).map(messageOf));
      },
      settle: (done) => {
        for (const { id } of done) this.waiting.splice(this.waiting.indexOf(id), 1);
        this.acknowledged.push(...done.map(({ id }) => id));
        return Promise.resolve();
      },
      lag: () => Promise.resolve(this.waiting.length),
      close: () => Promise.resolve(),
    });
  }
}

function messageOf(body: string): SourceMessage {
  return { id: body, bytes: Buffer.from(body), headers: {}, attributes: {}, metadata: {} };
}

interface World {
  readonly source: MemorySource;
  readonly started: string[];
  readonly dead: string[];
  readonly troubles: (string | undefined)[];
}

/** Until nothing waits. */
async function taken(
  messages: string[],
  rest: string,
  start: (body: string, world: World) => void,
  lag = (): Promise<void> => Promise.resolve(),
): Promise<World> {
  const { trigger } = compileTrigger(
    `kind: Subscription\nmetadata: {path: s}\nspec: {source: postgres, auth: a, table: t, runtime: {timeout_ms: 20, batch: 4}, dispatch: {playbook: p${rest}`,
  );
  const world: World = { source: new MemorySource(messages), started: [], dead: [], troubles: [] };
  const stop = new AbortController();
  const starter: StartMessage = ({ memo }) => {
    start(memo.message_id, world);
    world.started.push(memo.message_id);
    return Promise.resolve(
      memo.message_id.startsWith('bad')
        ? { outcome: 'dead', refused: { code: 'X', message: 'x' } }
        : { outcome: 'started', executionId: '1' },
    );
  };
  const letters = { add: (_: unknown, { id }: SourceMessage) => Promise.resolve(void world.dead.push(id)) };
  const taker = new Taker({
    trigger: { id: '1', plan: trigger! },
    open: () => world.source.open(),
    dispatcher: new Dispatcher(starter, letters as unknown as DeadLetters),
    trouble: (why) => Promise.resolve(void world.troubles.push(why)),
    lag,
    signal: stop.signal,
  });
  const done = taker.run(1);
  while (world.source.waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  stop.abort();
  await done;
  return world;
}

test('in order, at most a batch at a time; what is refused is a dead letter, and what is filtered is acknowledged', async () => {
  const { source, started, dead } = await taken(
    ['a', 'bad', 'b', 'skip', 'c'],
    `, where: "{{ message.body != 'skip' }}"}}`,
    () => undefined,
  );
  expect(started).toEqual(['a', 'bad', 'b', 'c']);
  expect(dead).toEqual(['bad']);
  expect(source.acknowledged).toEqual(['a', 'bad', 'b', 'skip', 'c']);
  expect(Math.max(...source.takes)).toBe(4);
});

test('while something is away nothing is acknowledged, and the same messages come again, in order', async () => {
  let away = 1;
  const { source, started, troubles } = await taken(['a', 'b', 'c'], '}}', (id) => {
    if (id !== 'b' || away-- <= 0) return;
    throw new Error('Temporal is away');
  });
  expect(started).toEqual(['a', 'b', 'c']);
  expect(source.acknowledged).toEqual(['a', 'b', 'c']);
  expect(troubles).toContain('Temporal is away');
  expect(troubles.at(-1)).toBeUndefined();
  expect(source.opened).toBe(2);
});

test('a lag that cannot be told uses up no delivery', async () => {
  let away = 1;
  const lag = (): Promise<void> =>
    away-- > 0 ? Promise.reject(new Error('the database is away')) : Promise.resolve();
  const { source, troubles } = await taken(['a', 'b'], '}}', () => undefined, lag);
  expect([source.delivered, troubles]).toEqual([
    ['a', 'b'],
    ['the database is away', undefined],
  ]);
});

test('what may be in hand, and what may be started in a second, limits what is taken', async () => {
  const many = Array.from({ length: 6 }, (_, index) => `m${index}`);
  const inHand = await taken([...many], '}, limits: {max_in_flight: 2}}', () => undefined);
  expect(Math.max(...inHand.source.takes)).toBe(2);
  const paced = await taken([...many], '}, limits: {max_dispatch_per_sec: 3}}', () => undefined);
  expect(paced.source.takes[0]).toBe(3);
  expect(paced.started).toEqual(many);
});

test('with batch_dispatch several are started at the same time', async () => {
  const { started } = await taken(['a', 'b', 'c'], ', batch_dispatch: true}}', () => undefined);
  expect([...started].sort()).toEqual(['a', 'b', 'c']);
});

test('several takers have several batches in hand', async () => {
  const { trigger } = compileTrigger(
    `kind: Subscription\nmetadata: {path: s}\nspec: {source: postgres, auth: a, table: t, runtime: {timeout_ms: 20, batch: 4}, dispatch: {playbook: p}}`,
  );
  const stop = new AbortController();
  let inHand = 0;
  // Nothing is settled before three takers have their batches.
  const open = (): Promise<OpenSource> =>
    Promise.resolve({
      take: async (most) => {
        inHand += most;
        while (inHand < 12 && !stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
        stop.abort();
        return [];
      },
      settle: () => Promise.resolve(),
      close: () => Promise.resolve(),
    });
  const nothing = (): Promise<void> => Promise.resolve();
  const dispatcher = new Dispatcher(() => Promise.resolve({ outcome: 'started' }), {} as DeadLetters);
  const taker = new Taker({
    trigger: { id: '1', plan: trigger! },
    open,
    dispatcher,
    trouble: nothing,
    lag: nothing,
    signal: stop.signal,
  });
  await taker.run(3);
  expect(inHand).toBe(12);
});
