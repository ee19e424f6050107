import { createSecretKey, randomBytes } from 'node:crypto';
import { memoryResults } from '../../../test/support/memory-results';
import { call, context } from '../../../test/support/tool-call';
import { keyRing } from '../../../src/storage/keyring';
import {
  type Json,
  type JsonObject,
  type Outcome,
  packOutcome,
  type Secrets,
  unpackOutcome,
} from '../../../src/language/plan';
import { sealedValues } from '../../../src/storage/sealed';
import { runHidden } from './activity';
import { failedTask, succeeded } from '../tool/outcome';
import { type Tool } from '../tool/tool';

const CANARY = 'canary-of-an-output-12';
const keys = keyRing([{ kid: 'k', key: createSecretKey(randomBytes(32)) }]);
let results = memoryResults();
let sealed = sealedValues(() => keys, results);
beforeEach(() => {
  results = memoryResults();
  sealed = sealedValues(() => keys, results);
});

const tool = (outcome: Outcome): Tool => ({ kind: 'fake', run: () => Promise.resolve(outcome) });
const run = (
  outcome: Outcome,
  sensitive: Json,
  more: Partial<Parameters<typeof runHidden>[2]> = { sealed },
) =>
  runHidden(
    tool(outcome),
    call('fake', {}, { options: { sensitive } }),
    { ...context(), ...more },
    new AbortController().signal,
  );

/** The result with values in place of its handles again, as `(value)`. */
async function opened({ result, meta }: Outcome): Promise<Json> {
  const secrets = (meta['secrets'] ?? {}) as unknown as Secrets;
  const inside = async (value: Json): Promise<Json> => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Promise.all(value.map(inside));
    const { $secret } = value as JsonObject;
    const secret = typeof $secret === 'string' ? secrets[$secret] : undefined;
    if (secret && 'ref' in secret)
      return { '()': await sealed.open(secret.ref, new AbortController().signal) };
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await inside(item as Json)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };
  return inside(result);
}

test.each<[string, Json, Json, Json]>([
  ['a key', { token: CANARY, n: 1 }, ['token'], { token: { '()': CANARY }, n: 1 }],
  ['a path', { a: { b: CANARY, c: 2 } }, ['a.b'], { a: { b: { '()': CANARY }, c: 2 } }],
  [
    'the payload of an answer',
    { status_code: 200, data: { token: CANARY } },
    ['token'],
    { status_code: 200, data: { token: { '()': CANARY } } },
  ],
  [
    'each item',
    { list: [{ k: 'a' }, { k: 'b' }] },
    ['list.*.k'],
    { list: [{ k: { '()': 'a' } }, { k: { '()': 'b' } }] },
  ],
  ['a key of each item', [{ k: 'a' }, { k: null }], ['k'], [{ k: { '()': 'a' } }, { k: null }]],
  ['an index', { list: ['a', 'b'] }, ['list[1]'], { list: ['a', { '()': 'b' }] }],
  ['each index', { list: ['a', 'b'] }, ['list[*]'], { list: [{ '()': 'a' }, { '()': 'b' }] }],
  ['a number', { pin: 1234 }, ['pin'], { pin: { '()': 1234 } }],
  [
    'a mapping',
    { pair: { user: 'u', pass: CANARY } },
    ['pair'],
    { pair: { '()': { user: 'u', pass: CANARY } } },
  ],
  ['all of it', CANARY, ['.'], { '()': CANARY }],
  ['one path as text', { token: CANARY }, 'token', { token: { '()': CANARY } }],
  ['one that may be absent', { a: 1 }, ['token?'], { a: 1 }],
  ['none', { token: CANARY }, [], { token: CANARY }],
])('%s is kept, and leaves a handle', async (_, result, sensitive, expected) => {
  const outcome = await run(succeeded(result), sensitive);
  expect(outcome.error).toBeNull();
  expect(await opened(outcome)).toEqual(expected);
});

test('what the outcome says of the value elsewhere is redacted, also in the store of results', async () => {
  const outcome = await run(
    succeeded(
      { token: CANARY, echo: `Bearer ${CANARY}` },
      { http: { status: 200, headers: { 'set-cookie': `t=${CANARY}` } } },
    ),
    ['token'],
  );
  expect(JSON.stringify(outcome)).not.toContain(CANARY);
  expect(outcome.result).toMatchObject({ echo: 'Bearer [redacted]' });
  expect(outcome.http!.headers).toEqual({ 'set-cookie': 't=[redacted]' });
  expect(Buffer.concat([...results.kept.values()].map(({ data }) => data!)).includes(CANARY)).toBe(false);
});

test('rows of a query are kept once, although a script tells its last statement twice', async () => {
  const rows = [{ id: 1, ssn: '123' }];
  const statement = { status: 'success', rows, row_count: 1, columns: ['id', 'ssn'] };
  const result = { rows, row_count: 1, columns: ['id', 'ssn'], command_0: statement };
  const outcome = await run(succeeded(result as never), ['rows.*.ssn']);
  const told = outcome.result as JsonObject;
  expect(results.kept.size).toBe(1);
  expect((told['command_0'] as JsonObject)['rows']).toEqual(told['rows']);
  expect(JSON.stringify(told)).not.toContain('123');
  // And so it is on the wire: the statement is not written twice.
  const wire = packOutcome(outcome);
  expect(JSON.stringify(unpackOutcome(wire).result)).not.toContain('"123"');
});

test('a path that leads nowhere fails the task: what it means could stand anywhere', async () => {
  const outcome = await run(succeeded({ tokn: CANARY }), ['token']);
  expect(outcome.error).toMatchObject({ kind: 'validation', code: 'SENSITIVE_MISSING' });
  expect(outcome.error!.message).toContain('the result has no `token`');
  expect(JSON.stringify(outcome)).not.toContain(CANARY);
});

test('a failure keeps what is sensitive in its result too, and needs none to be there', async () => {
  const error = {
    kind: 'client_error',
    code: 'HTTP_400',
    message: `no ${CANARY}`,
    retryable: false,
  } as const;
  const outcome = await run(failedTask(error, { result: { data: { token: CANARY } } }), ['token', 'other']);
  expect(outcome.error).toMatchObject({ code: 'HTTP_400', message: 'no [redacted]' });
  expect(await opened(outcome)).toEqual({ data: { token: { '()': CANARY } } });
});

test.each<[string, object, Json, string]>([
  ['without a store', {}, ['token'], 'SEALED_STORE'],
  [
    'with a store that has no room',
    { sealed: sealedValues(() => keys, undefined) },
    ['token'],
    'SEALED_STORE',
  ],
  ['with a path that is none', { sealed }, [1], 'SENSITIVE_PATH'],
])('%s the task does not run at all', async (_, services, sensitive, code) => {
  let ran = false;
  const one: Tool = { kind: 'fake', run: () => ((ran = true), Promise.resolve(succeeded(1))) };
  const given = call('fake', {}, { options: { sensitive } });
  const outcome = await runHidden(one, given, { ...context(), ...services }, new AbortController().signal);
  expect({ ran, code: outcome.error!.code }).toEqual({ ran: false, code });
});

test('a task that is handed the handle gets the value, whatever it is, and does not tell it', async () => {
  const first = await run(succeeded({ pair: { user: 'u', password: CANARY } }), ['pair']);
  const seen: Json[] = [];
  const next: Tool = {
    kind: 'fake',
    run: ({ config }) => (seen.push(config), Promise.resolve(succeeded(config))),
  };
  const { pair } = first.result as JsonObject;
  const outcome = await runHidden(
    next,
    call(
      'fake',
      { pair: pair!, password: { ...(pair as JsonObject), field: 'password' } },
      { secrets: first.meta['secrets'] as unknown as Secrets },
    ),
    { ...context(), sealed },
    new AbortController().signal,
  );
  expect(seen).toEqual([{ pair: { user: 'u', password: CANARY }, password: CANARY }]);
  expect(JSON.stringify(outcome)).not.toContain(CANARY);
});
