import { randomBytes } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow';
import { decode as text } from '@temporalio/common/lib/encoding';
import { type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { configuredKeyRing } from '../keyring';
import { compressible, FETCHED_FROM, limitInline, STORE_FROM, writtenOnce } from '../payloads';
import { payloadConverter } from '../payloads/converter';
import { compression, decodeForPeople, fromJson, payloadCodec, payloadToJson } from '.';

const { Payload: Message } = temporal.api.common.v1;
const plan = { steps: Array.from({ length: 200 }, (_, i) => ({ name: `step_${i}`, kind: 'http' })) };
const keys = configuredKeyRing({ NOETL_SECRETS_KEY: `k:${randomBytes(32).toString('base64')}` });
const encryption = payloadCodec({ encrypt: true, keys: () => keys });

const packed = async (value: object): Promise<Payload> =>
  (await compression.encode([payloadConverter.toPayload(compressible({ ...value }))]))[0]!;
const encodingOf = (payload: Payload): string => text(payload.metadata!['encoding']!);
/** As Temporal's Go SDK writes one. */
const zlib = (payload: Payload): Payload => ({
  metadata: { encoding: Buffer.from('binary/zlib') },
  data: deflateSync(Message.encode(payload).finish()),
});

test('a plan is compressed as the Go SDK does it, and read again', async () => {
  const plain = payloadConverter.toPayload(plan);
  const small = await packed(plan);
  expect(encodingOf(small)).toBe('binary/zlib');
  expect(small.data!.length).toBeLessThan(plain.data!.length / 5);
  const inside = Message.decode(inflateSync(small.data!));
  expect({ ...inside.metadata }).toEqual(plain.metadata);
  const [read] = await compression.decode([fromJson(payloadToJson(small))]);
  expect(payloadConverter.fromPayload(read!)).toEqual(plan);
  const [theirs] = await compression.decode([zlib(plain)]);
  expect(payloadConverter.fromPayload(theirs!)).toEqual(plan);
});

test('a plan that never changes is written and compressed once, and encrypted each time', async () => {
  const lasting = compressible(writtenOnce({ ...plan }));
  const write = async (): Promise<Payload[]> => {
    const [small] = await compression.encode([payloadConverter.toPayload(lasting)]);
    const [sealed] = await encryption.encode([small!]);
    return [small!, sealed!];
  };
  const [[first, sealed], [second, again]] = [await write(), await write()];
  expect(second).toBe(first);
  expect(again!.data).not.toEqual(sealed!.data);
  const [read] = await compression.decode(await encryption.decode([again!]));
  expect(payloadConverter.fromPayload(read!)).toEqual(plan);
  // Large ones are not kept.
  const large = writtenOnce({ text: 'x'.repeat(200_000) });
  expect(payloadConverter.toPayload(large)).not.toBe(payloadConverter.toPayload(large));
});

test('what people read stays readable: inputs and results of any size, small plans, what does not shrink', async () => {
  const inputs = [plan, { a: 1 }, null, 'x'.repeat(5000)].map((value) => payloadConverter.toPayload(value));
  expect(await compression.encode(inputs)).toEqual(inputs);
  const short = { steps: ['x'.repeat(900)] };
  expect(await packed(short)).toEqual(payloadConverter.toPayload(short));
  const [noise] = await compression.encode([
    {
      metadata: { encoding: Buffer.from('binary/plain'), 'noetl-compressible': Buffer.from('1') },
      data: randomBytes(5000),
    },
  ]);
  expect(Object.keys(noise!.metadata!)).toEqual(['encoding']);
  expect(await compression.decode(inputs)).toEqual(inputs);
});

test('it is compressed, then encrypted, then stored if it is still large', async () => {
  const payload = payloadConverter.toPayload(limitInline(compressible({ ...plan }), 2000));
  const codecs = [compression, encryption];
  const [sealed] = await encode(codecs, [payload]);
  expect(encodingOf(sealed!)).toBe('binary/encrypted');
  expect(sealed!.data!.length).toBeLessThan(payload.data!.length / 4);
  expect(text(sealed!.metadata![STORE_FROM]!)).toBe('2000');
  const fetched = { ...sealed!, metadata: { ...sealed!.metadata, [FETCHED_FROM]: Buffer.from('{}') } };
  const [read] = (await decode(codecs, [fetched])) as Payload[];
  expect(text(read!.metadata![FETCHED_FROM]!)).toBe('{}');
  expect(
    payloadConverter.fromPayload({ ...read!, metadata: { encoding: read!.metadata!['encoding']! } }),
  ).toEqual(plan);
});

test('the codec server unpacks for people, encrypted or not, with or without a key', async () => {
  const small = await packed(plan);
  const [sealed] = await encryption.encode([small]);
  const shown = await decodeForPeople([small, sealed!], keys);
  const whole = payloadConverter.toPayload(plan);
  expect(shown.map(payloadToJson)).toEqual([payloadToJson(whole), payloadToJson(whole)]);
  expect(await decodeForPeople([sealed!], undefined)).toEqual([sealed]);
  expect((await decodeForPeople([small], undefined)).map(payloadToJson)).toEqual([payloadToJson(whole)]);
});

test('what decompresses to more than anybody writes is refused, as is what is damaged', async () => {
  const bomb = zlib({ metadata: {}, data: new Uint8Array(70 * 1024 * 1024) });
  expect(bomb.data!.length).toBeLessThan(100_000);
  await expect(compression.decode([bomb])).rejects.toMatchObject({
    code: 'COMPRESSED_TOO_LARGE',
    message: expect.stringContaining('decompresses to more than 67108864 bytes'),
  });
  const damaged = { ...bomb, data: Buffer.from('no zlib') };
  await expect(compression.decode([damaged])).rejects.toMatchObject({ code: 'COMPRESSED_DAMAGED' });
  expect(await decodeForPeople([bomb, damaged], undefined)).toEqual([bomb, damaged]);
  // A request has one budget: what the first take is not there for the next.
  const large = zlib({ metadata: {}, data: new Uint8Array(600) });
  const shown = await decodeForPeople([large, large], undefined, 1000);
  expect(shown.map((one) => one.data!.length)).toEqual([600, large.data!.length]);
});
