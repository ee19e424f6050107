import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { decode as text } from '@temporalio/common/lib/encoding';
import fc from 'fast-check';
import { configuredKeyRing, type KeyRing } from '../keyring';
import { FETCHED_FROM, STORE_FROM } from '../payloads';
import { decodeForPeople, fromJson, payloadCodec, payloadToJson } from '.';

const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const ring = (key: string): KeyRing => configuredKeyRing({ NOETL_SECRETS_KEY: key });
const old = ring(`old:${OLD}`);
const both = ring(`new:${NEW},old:${OLD}`);
const writing = payloadCodec({ encrypt: true, keys: () => old });
const reading = payloadCodec({ encrypt: false, keys: () => both });

const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

test('whatever is encoded is decoded, through JSON too, and is not to be seen in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), async (values) => {
      const payloads = values.map(payloadOf);
      const encoded = (await writing.encode(payloads)).map((one) => fromJson(payloadToJson(one)));
      const decoded = await reading.decode(encoded);
      expect(decoded.map((one) => defaultPayloadConverter.fromPayload(one))).toEqual(
        payloads.map((one) => defaultPayloadConverter.fromPayload(one)),
      );
    }),
  );
  const [secret] = await writing.encode([payloadOf({ canary: 'canary-in-payload-5' })]);
  expect(JSON.stringify(payloadToJson(secret!))).not.toContain('canary');
  expect(Buffer.from(secret!.data!).toString('latin1')).not.toContain('canary');
  expect(text(secret!.metadata!['encoding']!)).toBe('binary/encrypted');
});

test('what is not encrypted is read as it is; switched off, nothing is encrypted', async () => {
  const plain = [payloadOf('a')];
  expect(await reading.decode(plain)).toEqual(plain);
  expect(await reading.encode(plain)).toEqual(plain);
});

test('external storage still sees from which size a payload is stored, the converter where it came from', async () => {
  const marked: Payload = {
    ...payloadOf('a'),
    metadata: { ...payloadOf('a').metadata, [STORE_FROM]: Buffer.from('9') },
  };
  const [encoded] = await writing.encode([marked]);
  expect(text(encoded!.metadata![STORE_FROM]!)).toBe('9');
  const fetched = { ...encoded!, metadata: { ...encoded!.metadata, [FETCHED_FROM]: Buffer.from('{}') } };
  const [decoded] = await reading.decode([fetched]);
  expect(text(decoded!.metadata![FETCHED_FROM]!)).toBe('{}');
});

test('a missing key is named, and so is a damaged value; people see what can be seen', async () => {
  const encoded = await writing.encode([payloadOf('a')]);
  const stranger = payloadCodec({ encrypt: false, keys: () => ring(`new:${NEW}`) });
  await expect(stranger.decode(encoded)).rejects.toMatchObject({
    code: 'KEY_UNKNOWN',
    message: expect.stringContaining("'old'"),
  });
  const keyless = payloadCodec({ encrypt: false, keys: () => configuredKeyRing({}) });
  await expect(keyless.decode(encoded)).rejects.toMatchObject({
    code: 'KEY_UNKNOWN',
    message: expect.stringContaining("'old', and there is no key here"),
  });
  expect(() => payloadCodec({ encrypt: true, keys: () => configuredKeyRing({}) })).toThrow('no key');
  const damaged = encoded.map((one) => ({ ...one, data: Buffer.from(one.data!).fill(0, 40) }));
  await expect(reading.decode(damaged)).rejects.toMatchObject({ code: 'CIPHERTEXT_DAMAGED' });
  const shown = await decodeForPeople([...encoded, ...damaged, payloadOf('b')], both);
  expect(shown).toEqual([
    { ...payloadOf('a'), metadata: { encoding: expect.anything() }, data: expect.anything() },
    damaged[0],
    payloadOf('b'),
  ]);
  expect(defaultPayloadConverter.fromPayload(shown[0]!)).toBe('a');
  expect(Object.keys(shown[0]!.metadata!)).toEqual(['encoding']);
});
