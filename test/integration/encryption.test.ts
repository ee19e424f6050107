/** Everything that Temporal keeps, encrypted (NOETL_ENCRYPT_PAYLOADS), and what still reads it. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { type LoadedDataConverter } from '@temporalio/common';
import { type WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { openStorage } from '../../src/storage/blobs';
import { type JsonPayload, payloadCodec } from '../../src/storage/codec';
import { FacadeError, type TokenScope } from '../../src/server/facade';
import { configuredKeyRing, type KeyRing } from '../../src/storage/keyring';
import { historyFile, recordedExecution } from '../../src/history';
import { loadWorkflowBundle } from '../../src/temporal/worker';
import { canariesIn, contentsOfFolder, contentsOfHistory } from '../support/canary';
import { startFacade, type TestFacade } from '../support/facade';
import { startStack, type Stack } from '../support/stack';

const CANARY = 'canary-of-the-codec-2718';
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const ring = (text: string): KeyRing => configuredKeyRing({ NOETL_SECRETS_KEY: text });
const UI = 'http://temporal-ui.test:8080';

const PLAYBOOK = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: encrypted, path: test/encrypted}
executor: {spec: {policy: {limits: {max_payload_bytes: 2000}}}}
workload: {word: ${CANARY}}
workflow:
- step: start
  desc: "a description with ${CANARY}"
  tool:
    - {name: large, kind: python, input: {w: "{{ workload.word }}"}, code: "result = {'rows': [w] * 300}"}
    - {name: paused, kind: wait, event: go}
    - {name: beat, kind: shell, cmds: "echo ${CANARY}; sleep 1"}
  next: {arcs: [{step: near}]}
- step: near
  loop: {in: ["{{ workload.word }}"], iterator: n, spec: {exec: local}}
  tool: {kind: python, input: {n: "{{ n }}"}, code: "result = {'n': n}"}
  next: {arcs: [{step: fails}]}
- step: fails
  tool: {kind: python, input: {w: "{{ workload.word }}"}, code: "raise ValueError('no good: ' + w)"}
`;

let folder: string;
let stack: Stack;
let facade: TestFacade;
let handle: WorkflowHandle;
let json: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-encryption-'));
  stack = await startStack({
    kinds: ['python', 'shell', 'local'],
    storage: pathToFileURL(path.join(folder, 'blobs')).href,
    codec: payloadCodec({ encrypt: true, keys: () => ring(`old:${OLD}`) }),
  });
  handle = await stack.start(stack.compile(PLAYBOOK), { more: CANARY });
  await handle.executeUpdate('sendEvent', { args: [{ name: 'go', payload: { said: CANARY }, id: 'once' }] });
  await handle.executeUpdate('setVariables', { args: [{ from_outside: CANARY }] });
  await handle.result().catch(() => undefined);
  json = JSON.stringify(JSON.parse(historyToJSON(await handle.fetchHistory())));
}, 180_000);
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A reader with these keys, as every command opens one. */
async function readerWith(keys: () => KeyRing): Promise<LoadedDataConverter> {
  const url = pathToFileURL(path.join(folder, 'blobs')).href;
  return loadDataConverter((await openStorage(url, payloadCodec({ encrypt: false, keys }))).dataConverter);
}

test('nothing that a playbook says is to be read in Temporal, nor in the store of large results', () => {
  expect(canariesIn(contentsOfHistory(json), [CANARY])).toEqual([]);
  expect(canariesIn(contentsOfFolder(folder), [CANARY])).toEqual([]);
  expect(contentsOfFolder(folder).length).toBeGreaterThan(0);
  expect(json).toContain('Encoded failure');
  // The same search finds a payload that is not encrypted.
  const plain = Buffer.from(JSON.stringify([CANARY])).toString('base64');
  expect(
    canariesIn(contentsOfHistory(json.replace(/"data":"[^"]{40,}"/, `"data":"${plain}"`)), [CANARY]),
  ).not.toEqual([]);
  // What Temporal itself needs stays plain.
  expect(json).toContain('NoetlPlaybook');
});

test('a history file is read with the key, also when another one encrypts by now; without it the key is named', async () => {
  const file = path.join(os.tmpdir(), `${handle.workflowId}.json`);
  fs.writeFileSync(file, json);
  try {
    const converter = await readerWith(() => ring(`new:${NEW},old:${OLD}`));
    const { events, state } = await recordedExecution(historyFile(file), { converter, bodies: true });
    expect(state.failure!.message).toContain(`no good: ${CANARY}`);
    expect(state.ctx['from_outside']).toBe(CANARY);
    expect(events.at(-1)).toMatchObject({ event_type: 'playbook.processed', status: 'error' });
    expect(JSON.stringify(events)).toContain(`no good: ${CANARY}`);
    const without = recordedExecution(historyFile(file), {
      converter: await readerWith(() => configuredKeyRing({})),
    });
    await expect(without).rejects.toMatchObject({
      code: 'KEY_UNKNOWN',
      message: expect.stringContaining("encrypted with the key 'old', and there is no key here"),
    });
  } finally {
    fs.rmSync(file, { force: true });
  }
});

test('it replays, with the key', async () => {
  const options = {
    ...(await loadWorkflowBundle()),
    dataConverter: stack.storage.dataConverter,
  };
  await Worker.runReplayHistory(options, await handle.fetchHistory(), handle.workflowId);
});

test('the codec server decrypts for those who may read, and for pages of the Temporal UI only', async () => {
  facade = await startFacade(stack, {
    over: {
      keys: ring(`new:${NEW},old:${OLD}`),
      uiOrigins: [UI],
      authenticate: (request, scope) => {
        const scopes = (request.get('authorization') ?? '').replace('Bearer ', '').split(',') as TokenScope[];
        if (scope !== 'public' && scopes.includes(scope)) return Promise.resolve({ name: 'test', scopes });
        throw new FacadeError(403, 'SCOPE_MISSING', `lacks ${scope}`);
      },
    },
  });
  const payloads = payloadsIn(JSON.parse(json));
  const ask = (verb: string, body: object, scope: TokenScope, origin = UI) =>
    fetch(`${facade.url}/codec/${verb}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${scope}`,
        'x-namespace': 'default',
        origin,
      },
      body: JSON.stringify(body),
    });
  // A stored payload stands in history as a reference: it stays one.
  const encrypted = payloads.filter((one) => one.metadata?.['encryption-key-id']);
  expect(encrypted.length).toBeGreaterThan(10);
  const answer = await ask('decode', { payloads: encrypted }, 'read');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
  const decoded = ((await answer.json()) as { payloads: JsonPayload[] }).payloads;
  expect(decoded).toHaveLength(encrypted.length);
  const texts = decoded.map((one) => Buffer.from(one.data!, 'base64').toString());
  for (const text of texts) expect(JSON.parse(text || 'null')).toBeDefined();
  expect(texts.join('\n')).toContain(`no good: ${CANARY}`);
  expect(Object.keys(decoded[0]!.metadata!)).toEqual(['encoding']);

  const again = await (await ask('encode', { payloads: decoded.slice(0, 2) }, 'run')).json();
  const back = await (await ask('decode', again as object, 'read')).json();
  expect(back).toEqual({ payloads: decoded.slice(0, 2) });
  const damaged = { ...encrypted[0]!, data: encrypted[0]!.data!.replace(/^.{8}/, 'AAAAAAAA') };
  expect(await (await ask('decode', { payloads: [damaged] }, 'read')).json()).toEqual({
    payloads: [damaged],
  });
  expect((await ask('decode', { payloads: encrypted }, 'worker')).status).toBe(403);
  expect((await ask('decode', { payloads: [{ data: '<>' }] }, 'read')).status).toBe(422);
  const foreign = await ask('decode', { payloads: [] }, 'read', 'http://evil.test');
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = (route: string) =>
    fetch(`${facade.url}${route}`, {
      method: 'OPTIONS',
      headers: {
        origin: UI,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-namespace',
      },
    });
  expect((await preflight('/codec/decode')).headers.get('access-control-allow-headers')).toContain(
    'x-namespace',
  );
  expect((await preflight('/api/executions')).headers.get('access-control-allow-origin')).toBeNull();
  expect(facade.reported).toEqual([]);
});

/** Every payload in a history, at any depth. */
function payloadsIn(value: unknown): JsonPayload[] {
  if (typeof value !== 'object' || value === null) return [];
  const one = value as JsonPayload;
  if (one.metadata && typeof one.metadata['encoding'] === 'string') return [one];
  return Object.values(value).flatMap(payloadsIn);
}
