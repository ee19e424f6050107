import { type CountFamily, refuseLargeFamily } from './family';

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
  const check = (count: CountFamily): Promise<void> => refuseLargeFamily('a/b', 'noetl-1', 100, count);

  it('may be as large as the limit, open and in all', async () => {
    await check(counts(100, 900));
    await check(() => Promise.reject(new Error('the server cannot count')));
  });

  it.each([
    ['open', counts(101, 0), /more than 100 open/],
    ['in all', counts(1, 1000), /more than 1000 sub-playbooks in all/],
  ])('is refused when it is larger: %s', async (_, count, message) => {
    await expect(check(count)).rejects.toMatchObject({ code: 'PLAYBOOK_FAMILY', message });
    await expect(check(count)).rejects.toThrow(/NOETL_FAMILY_LIMIT/);
  });
});
