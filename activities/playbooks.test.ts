import { ApplicationFailure } from '@temporalio/common';
import { type Plan } from '../src/plan';
import { PlaybookRefused, resolveActivity } from './playbooks';

const plan = { metadata: { path: 'a' } } as unknown as Plan;

describe('the activity that resolves a sub-playbook', () => {
  it('gives the plan of the resolver, asked with path, version and caller', async () => {
    const asked: unknown[] = [];
    const activity = resolveActivity(
      { resolve: (request) => (asked.push(request), Promise.resolve(plan)) },
      100,
    );
    expect(await activity({ path: 'a', version: '2', from: 'f.yaml' })).toBe(plan);
    expect(asked).toEqual([{ path: 'a', version: '2', from: 'f.yaml' }]);
  });

  it('fails for good, with code and details, for a playbook that is refused', async () => {
    const refusal = new PlaybookRefused('PLAYBOOK_INVALID', 'two errors', { diagnostics: ['x'] });
    const activity = resolveActivity({ resolve: () => Promise.reject(refusal) }, 100);
    const failure = (await activity({ path: 'a' }).catch((error: unknown) => error)) as ApplicationFailure;
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'PLAYBOOK_INVALID',
      message: 'two errors',
      nonRetryable: true,
      details: [{ diagnostics: ['x'] }],
    });
  });

  it('refuses a plan that Temporal would refuse', async () => {
    const activity = resolveActivity({ resolve: () => Promise.resolve(plan) }, 10);
    await expect(activity({ path: 'a' })).rejects.toMatchObject({ type: 'PLAYBOOK_TOO_LARGE' });
  });

  it('lets Temporal try again what is no refusal', async () => {
    const activity = resolveActivity({ resolve: () => Promise.reject(new Error('disk')) }, 10);
    await expect(activity({ path: 'a' })).rejects.toThrow('disk');
  });
});
