import { ApplicationFailure } from '@temporalio/common';
import { type JsonObject, type Plan } from '../../../src/language/plan';
import { PlaybookRefused } from './playbook-refused';
import { resolveActivity } from './playbooks';

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

  it('holds a payload to what the playbook says of its inputs, and says which entry of a catalog it is', async () => {
    const strict = {
      ...plan,
      inputs: { schemas: { n: { type: 'integer' }, key: { required: true } }, defaulted: [] },
      source: { sha256: '', catalog: { id: '7', version: 2 } },
    } as Plan;
    const activity = resolveActivity({ resolve: () => Promise.resolve(strict) }, 1000);
    expect(await activity({ path: 'a', payload: { n: 1, key: 'k' } })).toEqual({
      plan: strict,
      memo: { noetl_catalog: { catalog_id: '7', version: 2 } },
    });
    await expect(activity({ path: 'a', payload: { n: 'x' } })).rejects.toMatchObject({
      type: 'WORKLOAD_INVALID',
      nonRetryable: true,
      message:
        'playbook a does not accept this input: workload.n must be a whole number, not a string; workload.key is required',
      details: [{ fields: [{ at: 'workload.n' }, { at: 'workload.key' }] }],
    });
    await expect(activity({ path: 'a', payload: 'text' as never })).rejects.toMatchObject({
      type: 'WORKLOAD_INVALID',
      message: 'the payload of a playbook must be a mapping of its inputs',
    });
    // A caller of an earlier release says no payload, and knows no other answer.
    expect(await activity({ path: 'a' })).toBe(strict);
  });

  it('refuses keys that have to be inputs and are none, and says which there are', async () => {
    const keys = (inputs: object) => {
      const of = {
        ...plan,
        workload: { map: [['city', { const: 1 }]] },
        source: {},
        ...inputs,
      } as unknown as Plan;
      return resolveActivity(
        { resolve: () => Promise.resolve(of) },
        1000,
      )({
        path: 'a',
        payload: { city: 1, town: 2, step: 3 },
        onlyInputs: ['city', 'town'],
      });
    };
    await expect(keys({})).rejects.toMatchObject({
      type: 'WORKLOAD_INVALID',
      message: 'playbook a does not accept this input: workload.town is not an input; its inputs are: city',
    });
    const declared = { schemas: { n: {}, town: {} }, defaulted: ['city'] };
    await expect(keys({ inputs: declared })).resolves.toMatchObject({ memo: {} });
    await expect(keys({ inputs: { schemas: {}, defaulted: [] } })).rejects.toThrow('its inputs are: none');
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

  it('refuses a value in the open for an input that is secret, at any depth; handles and nothing are fine', async () => {
    const secret = {
      ...plan,
      source: {},
      secretInputs: ['key'],
      secretPaths: [
        ['db', 'password'],
        ['tokens', '*', 'value'],
      ],
    } as unknown as Plan;
    const activity = resolveActivity({ resolve: () => Promise.resolve(secret) }, 1000);
    const handle = { $secret: 'x' };
    const call = (payload: object) => activity({ path: 'a', payload: payload as JsonObject });
    await expect(call({ key: 'canary' })).rejects.toMatchObject({
      type: 'SECRET_INPUT',
      message: expect.stringMatching(/input 'key' of playbook a is secret.*plain value/),
    });
    await expect(call({ db: { password: 'x', host: 'h' } })).rejects.toThrow("'db.password'");
    await expect(call({ tokens: [{ value: handle }, { value: 'x' }] })).rejects.toThrow("'tokens[1].value'");
    const fine = {
      key: handle,
      db: { password: handle, host: 'h' },
      tokens: [{ value: handle, name: 'n' }, {}],
    };
    for (const payload of [fine, { key: null, db: 'h', open: 1 }])
      expect(await call(payload)).toMatchObject({ plan: secret });
    expect(await activity({ path: 'a' })).toBe(secret);
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
