import { type CountFamily, executionFamily, Families, scheduleFamily } from './family';

const ONE = executionFamily('noetl-1');
const counts =
  (running: number, ended: number): CountFamily =>
  () =>
    Promise.resolve({
      count: running + ended,
      groups: [
        { count: running, groupValues: ['Running'] },
        { count: ended, groupValues: ['Completed'] },
      ],
    });

describe('a family of sub-playbooks', () => {
  const check = (count: CountFamily): Promise<number> => new Families(100, count).admit('a/b', ONE);

  it('may be as large as the limit, open and in all', async () => {
    await check(counts(100, 900));
    expect(await check(() => Promise.reject(new Error('the server cannot count')))).toBe(0);
  });

  it.each([
    ['open', counts(101, 0), 'more than 100 open executions at once'],
    ['in all', counts(1, 1000), 'more than 1000 executions in all'],
  ])('is refused when it is larger: %s', async (_, count, message) => {
    await expect(check(count)).rejects.toMatchObject({ code: 'PLAYBOOK_FAMILY' });
    await expect(check(count)).rejects.toThrow(message);
    await expect(check(count)).rejects.toThrow(/NOETL_FAMILY_LIMIT/);
  });

  it('is not refused later because Temporal lists it late: what was admitted since the count is added', async () => {
    const families = new Families(100, counts(0, 0), () => 5);
    for (let n = 0; n <= 100; n++) await families.admit('a/b', ONE);
    await expect(families.admit('a/b', ONE)).rejects.toMatchObject({ code: 'PLAYBOOK_FAMILY' });
    expect(await families.admit('a/b', executionFamily('noetl-2'))).toBe(0);
  });

  it('is counted once a second', async () => {
    let [now, counted] = [0, 0];
    const count: CountFamily = (query) => (counted++, counts(5, 0)(query));
    const families = new Families(100, count, () => now);
    for (; now < 3_000; now += 100) await families.admit('a/b', ONE);
    expect(counted).toBe(3);
  });

  it('grows the slower, the more of it is open', async () => {
    const growth = async (open: number): Promise<number[]> => {
      const families = new Families(1000, counts(open, 0), () => 0);
      const waits: number[] = [];
      for (let n = 0; n < 4; n++) waits.push(await families.admit('a/b', ONE));
      return waits;
    };
    expect(await growth(50)).toEqual([0, 0, 0, 0]);
    expect(await growth(98)).toEqual([0, 0, 5, 15]);
    expect(await growth(600)).toEqual([2505, 5015, 7530, 10_050]);
  });

  it('is also what a schedule has open', async () => {
    const asked: string[] = [];
    const count: CountFamily = (query) => (asked.push(query), counts(101, 0)(query));
    await expect(new Families(100, count).admit('a/b', scheduleFamily("it's"))).rejects.toMatchObject({
      code: 'PLAYBOOK_FAMILY',
      message: expect.stringContaining("began with schedule it's, has more than 100 open"),
    });
    expect(asked).toEqual([
      "WorkflowType = 'noetl:schedule' AND ExecutionStatus = 'Running' AND TemporalScheduledById = 'it''s'",
    ]);
  });
});
