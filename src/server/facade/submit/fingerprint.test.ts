/** Fingerprints of submissions: the same request is known again, and the text says nothing of it. */
import { createHash, createSecretKey } from 'node:crypto';
import { keyRing, type KeyRing } from '../../../storage/keyring';
import { Fingerprints } from './fingerprint';

const ring = (...kids: string[]): KeyRing =>
  keyRing(kids.map((kid) => ({ kid, key: createSecretKey(createHash('sha256').update(kid).digest()) })));
const request = { path: 'a', payload: { pin: '1234', n: 1 } };

test.each([
  ['without keys', new Fingerprints()],
  ['with keys', new Fingerprints(ring('k1'))],
])('%s the same request is known again in any order of keys, another is not', (_, fingerprints) => {
  const kept = fingerprints.of(request, 'key');
  expect(fingerprints.matches(kept, { payload: { n: 1, pin: '1234' }, path: 'a' }, 'key')).toBe(true);
  expect(fingerprints.matches(kept, { path: 'a', payload: { pin: '1235', n: 1 } }, 'key')).toBe(false);
});

test('with keys two of the same request differ, so that nobody can try requests; a new first key changes nothing', () => {
  const kept = new Fingerprints(ring('k1')).of(request, 'key');
  expect(new Fingerprints(ring('k1')).of(request, 'key')).not.toBe(kept);
  expect(new Fingerprints(ring('k2', 'k1')).matches(kept, request, 'key')).toBe(true);
  expect(() => new Fingerprints(ring('k2')).matches(kept, request, 'key')).toThrow(/k1/);
  expect(() => new Fingerprints(ring('k1')).matches(kept, request, 'another')).toThrow(/cannot be decrypted/);
});

test('what was kept before there were keys is still known', () => {
  const kept = new Fingerprints().of(request, 'key');
  expect(new Fingerprints(ring('k1')).matches(kept, request, 'key')).toBe(true);
});
