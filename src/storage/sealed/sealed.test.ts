import { createSecretKey, randomBytes } from 'node:crypto';
import { memoryResults } from '../../../test/support/memory-results';
import { type KeyRing, keyRing } from '../keyring';
import {
  type JsonObject,
  type Plan,
  plainSecretInputs,
  secretHandle,
  type SecretReference,
} from '../../language/plan';
import { SEALED, sealedValues, sealPayload } from '.';

const { signal } = new AbortController();
const ring = (kid = 'a'): KeyRing => keyRing([{ kid, key: createSecretKey(randomBytes(32)) }]);
const CANARY = 'canary-that-is-sealed';

test('what is sealed opens again, and the store holds nothing of it', async () => {
  const results = memoryResults();
  const keys = ring();
  const sealed = sealedValues(() => keys, results);
  const value = { token: CANARY, list: [1, null] };
  const ref = await sealed.seal(value, '42', signal);
  expect(ref).toMatchObject({ provider: SEALED, execution_id: '42', store: 'memory' });
  expect(JSON.stringify([ref, [...results.kept]])).not.toContain(CANARY);
  expect(Buffer.concat([...results.kept.values()].map(({ data }) => data!)).includes(CANARY)).toBe(false);
  expect(await sealed.open(ref, signal)).toEqual(value);
  expect([...results.kept.keys()][0]).toMatch(/^noetl-42\//);
});

test('equal values look different, and one does not open in the place of another', async () => {
  const results = memoryResults();
  const keys = ring();
  const sealed = sealedValues(() => keys, results);
  const first = await sealed.seal(CANARY, '42', signal);
  const second = await sealed.seal(CANARY, '42', signal);
  expect(results.kept.size).toBe(2);
  const swapped = { ...first, key: second['key']!, checksum: second['checksum']! } as SecretReference;
  await expect(sealed.open(swapped, signal)).rejects.toMatchObject({ code: 'CIPHERTEXT_DAMAGED' });
  const others = { ...first, execution_id: '43' } as SecretReference;
  await expect(sealed.open(others, signal)).rejects.toMatchObject({ code: 'CIPHERTEXT_DAMAGED' });
});

test('a store without the key yields nothing, and says which key it wants', async () => {
  const results = memoryResults();
  const ref = await sealedValues(() => ring('theirs'), results).seal(CANARY, '42', signal);
  const stolen = sealedValues(() => ring('mine'), results);
  await expect(stolen.open(ref, signal)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
});

test('without a store nothing is sealed, and no key is asked for before it is needed', async () => {
  let asked = 0;
  const keys = (): KeyRing => (asked++, ring());
  await expect(sealedValues(keys, undefined).seal(1, '42', signal)).rejects.toMatchObject({
    code: 'SEALED_STORE',
  });
  expect(() => sealedValues(keys, undefined).check()).toThrow('no store for secret values is configured');
  const sealed = sealedValues(keys, memoryResults());
  expect(asked).toBe(0);
  sealed.check();
  await sealed.seal(1, '42', signal);
  expect(asked).toBe(1);
  const elsewhere = {
    provider: SEALED,
    secret: 'x',
    execution_id: '1',
    store: 'other',
    key: 'k',
    checksum: 'c',
  };
  await expect(sealed.open(elsewhere, signal)).rejects.toMatchObject({ code: 'SEALED_GONE' });
});

describe('secret fields of a payload', () => {
  const plan = { secretInputs: ['token', 'pair', 'other'] } as unknown as Plan;

  test('become handles, and the others stay', async () => {
    const sealed = sealedValues(() => keys, memoryResults());
    const keys = ring();
    const { payload, secrets } = await sealPayload(
      plan,
      { token: CANARY, pair: { user: 'u', password: CANARY }, other: null, open: CANARY.slice(6) },
      sealed,
      '42',
    );
    const { token, pair, ...rest } = payload as Record<string, JsonObject>;
    expect(rest).toEqual({ other: null, open: CANARY.slice(6) });
    expect(Object.keys(secrets!).sort()).toEqual([token!['$secret'], pair!['$secret']].sort());
    expect(JSON.stringify([token, pair, secrets])).not.toContain(CANARY);
    const of = secrets![pair!['$secret'] as string] as { ref: SecretReference };
    expect(await sealed.open(of.ref, signal)).toEqual({ user: 'u', password: CANARY });
  });

  test('deeper ones become handles in their place', async () => {
    const deep = {
      secretPaths: [
        ['db', 'password'],
        ['tokens', '*', 'value'],
      ],
    } as unknown as Plan;
    const keys = ring();
    const sealed = sealedValues(() => keys, memoryResults());
    const given = {
      db: { host: 'h', password: CANARY },
      tokens: [{ value: CANARY }, { name: 'none' }, 'text', { value: null }],
      'db.password': 'another key',
    };
    const { payload, secrets } = await sealPayload(deep, given as unknown as JsonObject, sealed, '42');
    const { db, tokens } = payload as { db: JsonObject; tokens: [JsonObject] };
    expect(payload).toEqual({
      ...given,
      db: { host: 'h', password: { $secret: expect.any(String) } },
      tokens: [{ value: { $secret: expect.any(String) } }, ...given.tokens.slice(1)],
    });
    expect(JSON.stringify([payload, secrets])).not.toContain(CANARY);
    for (const handle of [db['password'], tokens[0]['value']] as JsonObject[]) {
      const { ref } = secrets![handle['$secret'] as string] as { ref: SecretReference };
      expect(await sealed.open(ref, signal)).toBe(CANARY);
    }
    expect(await sealPayload(deep, payload, sealedValues(ring, undefined), '42')).toEqual({ payload });
  });

  test('none, empty ones, and handles of a caller need no store', async () => {
    const payload = { token: '', pair: secretHandle('x'), more: 1 };
    expect(await sealPayload(plan, payload, sealedValues(ring, undefined), '42')).toEqual({ payload });
    expect(plainSecretInputs(plan, payload)).toEqual([]);
    expect(plainSecretInputs(plan, { token: 7, toString: 'x' })).toEqual([['token']]);
  });
});
