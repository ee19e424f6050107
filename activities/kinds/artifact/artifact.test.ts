import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openStorage, type Storage } from '../../../src/storage/blobs';
import { payloadConverter } from '../../../src/storage/payloads/converter';
import { type Json, type JsonObject, type Outcome, packOutcome } from '../../../src/language/plan';
import { context, run } from '../../../test/support/tool-call';
import { artifact as tool } from './run';
import { succeeded } from '../../framework/tool/outcome';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-artifact-'));
let storage: Storage;
beforeAll(async () => {
  storage = await openStorage(`file://${folder}`);
});
afterAll(async () => {
  await storage.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const send = (config: JsonObject, input: JsonObject = {}): Promise<Outcome> =>
  run(tool, config, { input }, { ...context(), results: storage.results('default')! });
async function ok(config: JsonObject, input?: JsonObject): Promise<Json> {
  const outcome = await send(config, input);
  expect(outcome.error).toBeNull();
  return outcome.result;
}

test.each<[string, Json]>([
  ['a mapping', { rows: [{ id: 1, name: 'ä' }], empty: {} }],
  ['a list', [1, 'two', null, [3]]],
  ['a text', 'line\nline'],
  ['a number', 0],
  ['false', false],
])('put answers with a reference, and get with the value: %s', async (_, data) => {
  const reference = (await ok({ action: 'put', data })) as JsonObject;
  expect(reference).toEqual({
    store: 'file',
    key: expect.stringMatching(
      /^v0\/ns\/default\/wi\/noetl-287146398761160704\/d\/sha256\/[0-9a-f]{64}$/,
    ) as string,
    range: null,
    size: Buffer.byteLength(JSON.stringify(data)),
    checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    schema_hint: expect.objectContaining({}) as object,
  });
  expect(await ok({ action: 'get', ref: reference })).toEqual(data);
  // As text (a template that passed it through tojson), without the action, and as inputs.
  expect(await ok({ result_ref: JSON.stringify(reference) })).toEqual(data);
  expect(await ok({ action: 'get' }, { result_ref: reference })).toEqual(data);
});

test('the same value of one execution is kept once', async () => {
  expect(await ok({ data: { same: true } })).toEqual(await ok({ data: { same: true } }));
});

test('get takes the reference of a stored task result, and answers with the result', async () => {
  const rows = [{ n: 1 }, { n: 2 }];
  const outcome = succeeded({
    rows,
    row_count: 2,
    columns: ['n'],
    command_0: { status: 'success', rows, row_count: 2, columns: ['n'] },
  });
  const payload = payloadConverter.toPayload(packOutcome(outcome));
  const signal = new AbortController().signal;
  const origin = await storage.results('default')!.put('noetl-1', payload!, signal);
  expect(await ok({ ref: { ...origin, range: null } })).toEqual(outcome.result);
});
