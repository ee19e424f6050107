/** A secret of several fields where text is wanted: its one value, or an error that names the fields. */
import {
  type Json,
  type JsonObject,
  type SecretEntry,
  secretHandle,
  type Secrets,
} from '../../../src/language/plan';
import { parseTemplate } from '../../../src/language/template';
import { call } from '../../../test/support/tool-call';
import { type ResolvedEntry } from '../keychain/resolved';
import { ToolError } from '../tool/outcome';
import { revealSecrets } from './reveal';

const VALUE = 'correct horse battery';
const ENTRIES: Record<string, Partial<ResolvedEntry> & { value: JsonObject }> = {
  manager: { value: { value: VALUE } },
  typed: { value: { type: 'api_key', header: 'x-key', key: VALUE } },
  bearer: { value: { type: 'bearer', token: VALUE, access_token: VALUE, value: VALUE } },
  oauth: {
    value: {
      token: VALUE,
      access_token: VALUE,
      token_type: 'Bearer',
      expires_in: 60,
      refresh_token: 'other text',
    },
    renewable: true,
  },
  json: { value: { password: VALUE, value: JSON.stringify({ password: VALUE }) } },
  pin: { value: { pin: 12345678 } },
  pair: { value: { type: 'postgres', db_user: 'me', db_password: VALUE } },
  deep: { value: { one: { type: 'x', key: VALUE }, two: 2 } },
  empty: { value: { type: 'bearer' } },
};
const result = (id: string, ...fields: string[]): JsonObject => ({
  value: secretHandle(id),
  fields: Object.fromEntries(fields.map((field) => [field, secretHandle(id, field)])),
  provider: 'x',
  secret: id,
});
const VALUES: Record<string, Json> = {
  plain: VALUE,
  one: JSON.stringify({ password: VALUE }),
  two: JSON.stringify({ user: 'me', password: VALUE }),
  sealed: { token: VALUE, expires_at: '2030-01-01' },
};
const table: Secrets = {
  ...Object.fromEntries(
    Object.keys(ENTRIES).map((name) => {
      const entry: SecretEntry = { name, kind: 'credential', config: {}, execution_id: '1' };
      return [name, { entry }];
    }),
  ),
  ...Object.fromEntries(Object.keys(VALUES).map((secret) => [secret, { ref: { provider: 'x', secret } }])),
};
/** As the engine puts the names together. */
const names: JsonObject = {
  keychain: Object.fromEntries(Object.keys(ENTRIES).map((name) => [name, secretHandle(name)])),
  plain: result('plain'),
  one: result('one', 'password'),
  two: result('two', 'user', 'password'),
  sealed: { token: secretHandle('sealed') },
};

async function revealed(kind: string, config: JsonObject, secrets: Secrets = table): Promise<JsonObject> {
  const sources = {
    value: ({ secret }: { secret: string }) => Promise.resolve(VALUES[secret]!),
    entry: ({ name }: SecretEntry) =>
      Promise.resolve({ secrets: [VALUE], source: 'x', resolvedAt: 0, ...ENTRIES[name]! }),
    hide: () => undefined,
  };
  return (await revealSecrets(call(kind, config, { secrets }), sources)).call.config;
}

/** What the template comes to in that field. */
async function rendered(source: string, field = 'url', kind = 'http'): Promise<Json> {
  const deferred = { template: parseTemplate(source), names, now: 0, seed: 1 };
  const path = field.split('.').reverse();
  const config = path.reduce<Json>((inner, key) => ({ [key]: inner }), secretHandle('t')) as JsonObject;
  const found = await revealed(kind, config, { ...table, t: { deferred } });
  return field.split('.').reduce<Json>((inner, key) => (inner as JsonObject)[key]!, found);
}

async function refused(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ToolError) return error.outcome.error!;
  throw error;
}

const ONE_VALUE = [
  'keychain.manager',
  'keychain.typed',
  'keychain.bearer',
  'keychain.oauth',
  'keychain.json',
  'keychain.deep.one',
  'plain',
  'one',
  'sealed.token',
];

describe.each(ONE_VALUE)('%s, which has one value,', (secret) => {
  test('is that value in text, whatever is done with the text', async () => {
    expect(await rendered(`Bearer {{ ${secret} }}`)).toBe(`Bearer ${VALUE}`);
    expect(await rendered(`{{ 'Bearer ' ~ ${secret} }}`)).toBe(`Bearer ${VALUE}`);
    expect(await rendered(`{{ 'Bearer ' + ${secret} }}`)).toBe(`Bearer ${VALUE}`);
    expect(await rendered(`{{ ${secret} | upper }}`)).toBe(VALUE.toUpperCase());
    expect(await rendered(`{{ ('me:' ~ ${secret}) | b64encode }}`)).toBe(
      Buffer.from(`me:${VALUE}`).toString('base64'),
    );
  });

  test('is that value in fields that are text, on its own and with a default', async () => {
    for (const field of ['url', 'headers.x-key', 'params.key', 'auth.token', 'env.KEY'])
      for (const source of [`{{ ${secret} }}`, `{{ ${secret} | default('') }}`])
        expect([field, await rendered(source, field)]).toEqual([field, VALUE]);
  });

  test('is passed on as a mapping to everything else', async () => {
    for (const field of ['json', 'data.deep', 'auth', 'auth.pg'])
      expect([field, typeof (await rendered(`{{ ${secret} }}`, field))]).toEqual([field, 'object']);
    expect(typeof (await rendered(`{{ ${secret} }}`, 'params.p', 'postgres'))).toBe('object');
  });
});

test('handles themselves are the value in fields that are text', async () => {
  const config = {
    url: secretHandle('manager'),
    headers: {
      a: secretHandle('bearer'),
      b: result('plain'),
      c: secretHandle('sealed'),
      d: secretHandle('plain'),
    },
    auth: { type: 'bearer', token: secretHandle('typed') },
    json: { a: secretHandle('manager'), b: [result('plain')] },
  };
  expect(await revealed('http', config)).toEqual({
    url: VALUE,
    headers: { a: VALUE, b: VALUE, c: VALUE, d: VALUE },
    auth: { type: 'bearer', token: VALUE },
    json: { a: { value: VALUE }, b: [{ value: VALUE, fields: {}, provider: 'x', secret: 'plain' }] },
  });
  expect(await revealed('http', { auth: secretHandle('pair') })).toEqual({ auth: ENTRIES['pair']!.value });
});

test('a number is its digits in text', async () => {
  expect(await rendered('{{ keychain.pin }}')).toBe('12345678');
});

test('its fields can be read as ever', async () => {
  expect(await rendered('{{ keychain.pair.db_user }}:{{ keychain.pair.db_password }}')).toBe(`me:${VALUE}`);
  expect(await rendered('{{ plain.value }} of {{ plain.secret }} {{ plain.fields | length }}')).toBe(
    `${VALUE} of plain 0`,
  );
  expect(await rendered('{{ keychain.pair | tojson }}')).toContain('"db_user": "me"');
});

test.each([
  ['keychain.pair', "keychain entry 'pair'", 'write keychain.pair.db_user or keychain.pair.db_password'],
  ['two', "the secret 'two'", 'write .fields.user or .fields.password'],
  ['keychain.deep', "keychain entry 'deep'", 'write keychain.deep.one or keychain.deep.two'],
  ['keychain.empty', "keychain entry 'empty'", 'has no value'],
])('%s has not one value: an error that names the fields, and no value', async (secret, what, fields) => {
  for (const work of [
    rendered(`Bearer {{ ${secret} }}`),
    rendered(`{{ ${secret} ~ '' }}`),
    rendered(`{{ ${secret} }}`, 'headers.x'),
  ]) {
    const { code, message } = await refused(work);
    expect(code).toBe('SECRET_FIELDS');
    expect(message).toContain(what);
    expect(message).toContain(fields);
    expect(message).not.toContain(VALUE);
  }
});

test('data that looks like the result of a secret is data', async () => {
  const forged = { value: secretHandle('nobody'), fields: {}, provider: 'x', secret: 'y' };
  expect(
    await revealed('http', {
      url: forged,
      headers: { a: { value: 'v', fields: {}, provider: 'x', secret: 'y' } },
    }),
  ).toEqual({
    url: forged,
    headers: { a: { value: 'v', fields: {}, provider: 'x', secret: 'y' } },
  });
});
