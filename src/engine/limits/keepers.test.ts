/** Keepers of limits by key, message by message. */
import { type JsonObject, type KeptLimit, type LimitRequest, type OnConflict } from '../../language/plan';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';
import { type KeeperAnswer, type Keeper, keeperOf } from './index';

interface Sent {
  readonly to: string;
  readonly type: KeeperAnswer['type'] | 'cancel';
  readonly said: JsonObject;
}

class World {
  sent: Sent[] = [];
  keeper: Keeper;

  constructor(private readonly of: KeptLimit['of']) {
    this.keeper = this.start();
  }

  private start(state?: object): Keeper {
    const kept = { of: this.of, scope: 'test', key: 'acme' };
    return keeperOf(
      { kept, ...(state && { state: JSON.parse(JSON.stringify(state)) as JsonObject }) },
      {
        answer: ({ execution }, { type, ...said }) =>
          this.sent.push({ to: execution, type, said: { ...said } as JsonObject }),
        cancel: ({ execution }, reason) =>
          this.sent.push({ to: execution, type: 'cancel', said: { reason } }),
      },
    );
  }

  /** Continues as new before every request: nothing may depend on what is not in the state. */
  ask(execution: string, request: Partial<LimitRequest>, now = 0): string[] {
    this.keeper = this.start(this.keeper.state);
    return this.during(() => this.keeper.ask({ execution, workflow: `w-${execution}`, ...request }, now));
  }

  during(act: () => void): string[] {
    this.sent = [];
    act();
    return this.sent.map(({ to, type }) => `${to} ${type}`);
  }

  leave(execution: string): string[] {
    return this.during(() => this.keeper.leave(execution, 0));
  }
}

describe('concurrency', () => {
  const limited = (limit = 1, on_conflict: OnConflict = 'queue', inside?: true): Partial<LimitRequest> => ({
    concurrency: { limit, on_conflict, ...(inside && { inside }) },
  });

  test('takes 10,000 executions, and tells each that waits of a few of those that hold the key', () => {
    const keeper = new World('concurrency').keeper;
    const sent: { to: string; answer: KeeperAnswer }[] = [];
    const kept = { of: 'concurrency', scope: 'test', key: 'acme' } as const;
    const full = keeperOf(
      { kept, state: keeper.state },
      { answer: ({ execution: to }, answer) => sent.push({ to, answer }), cancel: () => undefined },
    );
    for (let n = 0; n <= 10_000; n++)
      full.ask({ execution: `${n}`, workflow: `w-${n}`, ...limited(3_000) }, 0);
    expect(sent.at(-1)).toMatchObject({ to: '10000', answer: { type: 'refused', full: true } });
    expect(sent.slice(0, -1).filter(({ answer }) => answer.type === 'refused')).toEqual([]);
    expect(Math.max(...sent.map(({ answer }) => JSON.stringify(answer).length))).toBeLessThan(1_000);
    full.leave('0', 0);
    full.ask({ execution: 'next', workflow: 'w', ...limited(3_000) }, 0);
    expect(sent.at(-1)).toMatchObject({ to: 'next', answer: { type: 'queued' } });
  });

  test('grants in order of arrival, whoever leaves the queue before', () => {
    const world = new World('concurrency');
    expect(world.ask('1', limited())).toEqual(['1 granted']);
    expect(['2', '3', '4'].flatMap((one) => world.ask(one, limited()))).toEqual([
      '2 queued',
      '3 queued',
      '4 queued',
    ]);
    expect(world.sent[0]!.said).toEqual({ holders: ['1'], ahead: 2 });
    expect(world.leave('3')).toEqual([]);
    expect(world.leave('1')).toEqual(['2 granted']);
    expect(world.leave('2')).toEqual(['4 granted']);
    expect(world.keeper.isIdle).toBe(false);
    expect(world.leave('4')).toEqual([]);
    expect(world.keeper.isIdle).toBe(true);
  });

  test('a repeated request is answered again and changes nothing', () => {
    const world = new World('concurrency');
    world.ask('1', limited());
    world.ask('2', limited());
    expect(world.ask('1', limited())).toEqual(['1 granted']);
    expect(world.ask('2', limited())).toEqual(['2 queued']);
    expect(world.keeper.view).toMatchObject({
      holders: [{ execution_id: '1' }],
      waiting: [{ execution_id: '2' }],
    });
  });

  test('a larger limit lets those that wait begin, a smaller one waits for holders to end', () => {
    const world = new World('concurrency');
    world.ask('1', limited());
    world.ask('2', limited());
    expect(world.ask('3', limited(3))).toEqual(['2 granted', '3 granted']);
    expect(world.ask('4', limited(1))).toEqual(['4 queued']);
    expect(world.leave('1')).toEqual([]);
    expect(world.leave('2')).toEqual([]);
    expect(world.leave('3')).toEqual(['4 granted']);
  });

  test('skip and fail answer at once, and do not wait', () => {
    const world = new World('concurrency');
    world.ask('1', limited());
    expect(world.ask('2', limited(1, 'skip'))).toEqual(['2 skipped']);
    expect(world.sent[0]!.said).toEqual({ by: ['1'] });
    expect(world.ask('3', limited(1, 'fail'))).toEqual(['3 refused']);
    expect(world.leave('1')).toEqual([]);
    expect(world.keeper.isIdle).toBe(true);
  });

  test('cancel_running cancels the oldest, once, and begins when it has ended', () => {
    const world = new World('concurrency');
    world.ask('1', limited(2, 'cancel_running'));
    world.ask('2', limited(2, 'cancel_running'));
    expect(world.ask('3', limited(2, 'cancel_running'))).toEqual(['3 queued', '1 cancel']);
    expect(world.sent[1]!.said['reason']).toContain('execution 3 takes its place');
    expect(world.ask('4', limited(2, 'cancel_running'))).toEqual(['4 queued', '2 cancel']);
    expect(world.ask('5', limited(2, 'cancel_running'))).toEqual(['5 queued', '3 cancel']);
    expect(world.leave('2')).toEqual(['4 granted']);
    expect(world.leave('1')).toEqual(['5 granted']);
  });

  test('whoever would wait for its own caller is refused', () => {
    const world = new World('concurrency');
    world.ask('1', limited(2));
    expect(world.ask('2', limited(2, 'queue', true))).toEqual(['2 granted']);
    expect(world.ask('3', limited(2, 'queue', true))).toEqual(['3 refused']);
    expect(world.sent[0]!.said).toEqual({ holders: ['1', '2'], inside: true });
  });

  test('a workflow id has one open run: an earlier execution under it is over', () => {
    const world = new World('concurrency');
    world.during(() => {
      world.keeper.ask({ execution: '1', workflow: 'mine', ...limited() }, 0);
      world.keeper.ask({ execution: '2', workflow: 'mine', ...limited() }, 0);
    });
    expect(world.keeper.view.holders).toEqual([{ execution_id: '2', since: 0 }]);
  });

  test('holders are suspects only while somebody waits', () => {
    const world = new World('concurrency');
    world.ask('1', limited());
    expect(world.keeper.suspects).toEqual([]);
    world.ask('2', limited());
    expect(world.keeper.suspects).toMatchObject([{ execution: '1', workflow: 'w-1' }]);
  });
});

describe('debounce', () => {
  const period = (period_ms: number, max_wait_ms?: number): Partial<LimitRequest> => ({
    debounce: { period_ms, ...(max_wait_ms && { max_wait_ms }) },
  });

  test('the newest replaces the one that waits, and begins after the period', () => {
    const world = new World('debounce');
    expect(world.ask('1', period(100), 0)).toEqual(['1 queued']);
    expect(world.ask('2', period(100), 60)).toEqual(['1 skipped', '2 queued']);
    expect(world.sent[0]!.said).toEqual({ by: ['2'] });
    expect(world.during(() => world.keeper.elapse(100))).toEqual([]);
    expect(world.keeper.due).toBe(160);
    expect(world.during(() => world.keeper.elapse(160))).toEqual(['2 granted']);
    expect(world.keeper.isIdle).toBe(true);
  });

  test('no longer than max_wait after the first', () => {
    const world = new World('debounce');
    world.ask('1', period(100, 150), 0);
    world.ask('2', period(100, 150), 80);
    expect(world.keeper.due).toBe(150);
    world.keeper.elapse(150);
    world.ask('3', period(100, 150), 160);
    expect(world.keeper.due).toBe(260);
  });

  test('one that is cancelled while it waits does not begin', () => {
    const world = new World('debounce');
    world.ask('1', period(100), 0);
    expect(world.leave('1')).toEqual([]);
    expect(world.keeper.isIdle).toBe(true);
  });
});

describe('rate', () => {
  const rate = (count: number, limit: number, per_ms: number, burst = limit): Partial<LimitRequest> => ({
    rate: { ref: 'r', count, limit, per_ms, burst },
  });
  const slots = (world: World): unknown => world.sent[0]!.said['slots'];

  test('as many as the limit at once, the others a period later, over all requests', () => {
    const world = new World('rate');
    world.ask('1', rate(5, 2, 1000), 0);
    expect(slots(world)).toEqual([
      [0, 2],
      [1000, 2],
      [2000, 1],
    ]);
    world.ask('2', rate(2, 2, 1000), 100);
    expect(slots(world)).toEqual([
      [2000, 1],
      [3000, 1],
    ]);
    expect(world.keeper.due).toBe(4000);
    world.keeper.elapse(4000);
    expect(world.keeper.isIdle).toBe(true);
  });

  test('burst spreads the starts', () => {
    const world = new World('rate');
    world.ask('1', rate(5, 4, 1000, 2), 0);
    expect(slots(world)).toEqual([
      [0, 2],
      [500, 2],
      [1000, 1],
    ]);
  });

  test('a limit that becomes smaller counts from the next request on', () => {
    const world = new World('rate');
    world.ask('1', rate(6, 10, 1000, 1), 0);
    world.ask('2', rate(2, 2, 1000), 0);
    expect(slots(world)).toEqual([
      [1400, 1],
      [1500, 1],
    ]);
  });

  test('thousands of starts that are spread cost no look at each other', async () => {
    const world = new World('rate');
    const took = await processorMs(() => world.ask('1', rate(60_000, 10_000, 60_000, 1), 0));
    expect(took).toBeLessThan(EXPLODED_MS);
  });

  // Whatever is asked, and when: the bound is what the API counts.
  test.each([1, 2, 3, 4, 5, 6])('no window contains more than the limit (%#)', (seed) => {
    const world = new World('rate');
    const [limit, burst, per] = [3 + seed, 1 + (seed % 3), 1000];
    const starts: number[] = [];
    let [now, random] = [0, seed];
    for (let request = 0; request < 60; request++) {
      random = (random * 1103515245 + 12345) % 2147483648;
      now += random % 900;
      world.ask(String(request), rate(1 + (random % 7), limit, per, burst), now);
      for (const [at, count] of slots(world) as [number, number][]) {
        expect(at).toBeGreaterThanOrEqual(now);
        starts.push(...Array.from({ length: count }, () => at));
      }
    }
    for (let n = limit; n < starts.length; n++)
      expect(starts[n]! - starts[n - limit]!).toBeGreaterThanOrEqual(per);
    for (let n = burst; n < starts.length; n++) {
      expect(starts[n]! - starts[n - burst]!).toBeGreaterThanOrEqual((per * burst) / limit);
    }
  });
});
