import { secretHandle, type Secrets } from '../../../src/language/plan';
import { parseTemplate } from '../../../src/language/template';
import { call } from '../../../test/support/tool-call';
import { ToolError } from '../tool/outcome';
import { revealSecrets } from './reveal';

const VALUE = 'correct horse battery';
const deferred = (source: string, names: object, more: object = {}) => ({
  deferred: {
    template: parseTemplate(source),
    names: names as never,
    now: Date.UTC(2026, 0, 2),
    seed: 7,
    ...more,
  },
});
const secrets: Secrets = {
  plain: { ref: { provider: 'x', secret: 'plain' } },
  pair: { ref: { provider: 'x', secret: 'pair' } },
  header: deferred('Bearer {{ start.value }}', { start: { value: secretHandle('plain') } }),
  basic: deferred('{{ (user ~ ":" ~ f.value) | b64encode }}', {
    user: 'me',
    f: { value: secretHandle('plain') },
  }),
  nested: deferred('<{{ h }}>', { h: secretHandle('header') }),
  today: deferred('{{ (now() | string)[:4] }} {{ s }}', { s: secretHandle('plain') }),
  broken: deferred('{{ s + 1 }}', { s: secretHandle('plain') }),
  loop: deferred('{{ s }}!', { s: secretHandle('loop') }),
  undefined: deferred('{{ s }}{{ none_such }}', { s: secretHandle('plain') }, { strict: true }),
};
const VALUES: Record<string, string> = { plain: VALUE, pair: JSON.stringify({ user: 'u', password: VALUE }) };
let asked: string[] = [];
const hidden: string[] = [];
const reveal = (config: object, table: Secrets | undefined = secrets) =>
  revealSecrets(call('http', config as never, { secrets: table }), {
    value: (ref) => (asked.push(ref.secret), Promise.resolve(VALUES[ref.secret]!)),
    entry: () => Promise.reject(new Error('no entry of a keychain is here')),
    hide: (values) => hidden.push(...values),
  }).then((revealed) => revealed.call);
beforeEach(() => (asked = []));

test('values stand where handles stood, at any depth; each secret is fetched once', async () => {
  const config = { a: [secretHandle('plain')], b: { c: secretHandle('plain') }, d: 'x', e: null };
  const { config: revealed, secrets: left } = await reveal(config);
  expect(revealed).toEqual({ a: [VALUE], b: { c: VALUE }, d: 'x', e: null });
  expect({ left, asked }).toEqual({ left: undefined, asked: ['plain'] });
});

test.each([
  ['header', `Bearer ${VALUE}`],
  ['basic', Buffer.from(`me:${VALUE}`).toString('base64')],
  ['nested', `<Bearer ${VALUE}>`],
  ['today', `2026 ${VALUE}`],
])('a template is evaluated with the values in it: %s', async (id, expected) => {
  expect((await reveal({ a: secretHandle(id) })).config).toEqual({ a: expected });
  expect(hidden).toEqual(expect.arrayContaining([expected, VALUE]));
});

test('one field of a secret that is a mapping', async () => {
  expect((await reveal({ a: secretHandle('pair', 'password') })).config).toEqual({ a: VALUE });
  await expect(reveal({ a: secretHandle('pair', 'pin') })).rejects.toThrow("the secret has no field 'pin'");
  await expect(reveal({ a: secretHandle('plain', 'pin') })).rejects.toThrow('it is not a JSON mapping');
});

test.each([
  ['broken', 'TEMPLATE'],
  ['undefined', 'TEMPLATE'],
  ['loop', 'SECRET_DEPTH'],
])('what cannot be evaluated is an error of the task, without the value: %s', async (id, code) => {
  const error = (await reveal({ a: secretHandle(id) }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as ToolError;
  expect(error).toBeInstanceOf(ToolError);
  expect(error.outcome.error).toMatchObject({ kind: 'validation', code, retryable: false });
  expect(error.message).not.toContain(VALUE);
});

test('what no table knows is data', async () => {
  expect((await reveal({ a: secretHandle('other') })).config).toEqual({ a: secretHandle('other') });
  expect((await reveal({ a: secretHandle('plain') }, {})).config).toEqual({
    a: secretHandle('plain'),
  });
  expect(asked).toEqual([]);
});

test('an optional entry that does not resolve is undefined, and its reader takes the default; another one fails', async () => {
  const entry = { name: 'ai', kind: 'secrets', config: {}, execution_id: '1' };
  const missing = new ToolError({
    kind: 'not_found',
    code: 'SECRET_NOT_FOUND',
    message: 'there is no such secret',
  });
  const read = (source: string, more: object, problem: Error = missing) => {
    const names = { keychain: { ai: secretHandle('k') } };
    const table: Secrets = {
      k: { entry: { ...entry, ...more } },
      t: deferred(source, names, { strict: true }),
    };
    const sources = {
      value: () => Promise.reject(missing),
      entry: () => Promise.reject(problem),
      hide: () => undefined,
    };
    return revealSecrets(call('http', { a: secretHandle('t') } as never, { secrets: table }), sources);
  };
  const optional = { optional: true };
  const { call: revealed, entries } = await read("[{{ keychain.ai.api_key | default('none') }}]", optional);
  expect([revealed.config, entries]).toEqual([{ a: '[none]' }, []]);
  expect((await read('{{ keychain.ai is defined }}', optional)).call.config).toEqual({ a: false });
  await expect(read("{{ keychain.ai.api_key | default('none') }}", {})).rejects.toThrow(missing);
  // A fault of the worker is none of the entry.
  await expect(
    read("{{ keychain.ai.api_key | default('none') }}", optional, new Error('bug')),
  ).rejects.toThrow('bug');
});
