import { createSecretKey, randomBytes } from 'node:crypto';
import { encode } from '@temporalio/common/lib/encoding';
import { keyRing } from '../keyring';
import { grantOf, GRANT, GRANT_REQUEST, requestGrant } from '../payloads';
import { payloadConverter } from '../payloads/converter';
import { grantCodec, openGrant } from './grants';

const ring = () => keyRing([{ kid: 'k', key: createSecretKey(randomBytes(32)) }]);
const REQUEST = { workflow: 'noetl-7', task: 'a', kind: 'http', pool: 'default', opens: { 7: ['pg'] } };
const DAY = 24 * 3600_000;

test('a request becomes a grant that only the same keys open, for a time', async () => {
  const keys = ring();
  const asked = payloadConverter.toPayload(requestGrant({ config: {} }, REQUEST));
  const [payload] = await grantCodec(keys, () => 1000).encode([asked!]);
  expect(Object.keys(payload!.metadata!)).toEqual(['encoding', GRANT]);
  const grant = grantOf(payloadConverter.fromPayload(payload!))!;
  expect(openGrant(grant, keys, 2000)).toEqual({ ...REQUEST, until: 1000 + 30 * DAY });
  expect(openGrant(grant, keys, 1000 + 30 * DAY)).toBeUndefined();
  expect(openGrant(grant, ring(), 2000)).toBeUndefined();
  expect(openGrant('nonsense', keys, 2000)).toBeUndefined();
  // Sealed for another place by the same keys.
  expect(openGrant(keys.seal('{}', 'credential/x').toString('base64url'), keys, 0)).toBeUndefined();
});

test('without keys the request does not reach history', async () => {
  const asked = payloadConverter.toPayload(requestGrant({ config: {} }, REQUEST));
  expect(asked!.metadata![GRANT_REQUEST]).toBeDefined();
  const [payload] = await grantCodec(undefined).encode([asked!]);
  expect(payload).toEqual({ metadata: { encoding: encode('json/plain') }, data: asked!.data });
});

test('what asks for nothing passes as it is', async () => {
  const payloads = [payloadConverter.toPayload({ a: 1 })!];
  expect(await grantCodec(ring()).encode(payloads)).toBe(payloads);
});
