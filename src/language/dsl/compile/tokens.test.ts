/** `token(NAME)` is the token of an entry of the keychain, which the compiler declares. */
import { type JsonObject, type TaskCall } from '../../plan';
import { codes, plan } from '../../../../test/support/compiled';
import { simulate } from '../../../../test/support/simulator';

const text = (call: string, more = ''): string => `workload: {auth: my_google, nested: {auth: other}}
workflow:
- step: start
  loop: {in: [a], iterator: each}
  tool: {kind: http, url: "http://x", headers: {authorization: 'Bearer {{ ${call} }}'}${more}}
`;

test.each([
  ['token("my_google")', 'token("my_google")', 'my_google'],
  ['token("my_google") | trim', 'token("my_google")', 'my_google'],
  ['token(auth)', 'token(auth)', 'my_google'],
  ['token(workload.auth)', 'token(workload.auth)', 'my_google'],
  ['token(workload.nested.auth)', 'token(workload.nested.auth)', 'other'],
])('%s', (call, name, credential) => {
  expect(codes(text(call))).toEqual([]);
  const made = plan(text(call));
  expect(made.keychain).toMatchObject([{ name, kind: 'bearer', uses: ['token'] }]);
  const calls: TaskCall[] = [];
  simulate(made, { mocks: { start_task: (each) => (calls.push(each), 1) } });
  const { config, secrets } = calls[0]!;
  expect(config['headers']).toEqual({ authorization: { $secret: expect.any(String) as string } });
  const entries = Object.values(secrets!).flatMap((secret) => ('entry' in secret ? [secret.entry] : []));
  expect(entries).toMatchObject([
    { name, kind: 'bearer', config: { auth: credential } satisfies JsonObject },
  ]);
});

test('the name may be that of an entry of the keychain', () => {
  const keychain = 'keychain: [{name: my_google, type: google_oauth, ref: stored}]\n';
  expect(codes(keychain + text('token("my_google")'))).toEqual([]);
  expect(plan(keychain + text('token("my_google")')).keychain).toMatchObject([
    { name: 'my_google', uses: ['token'] },
  ]);
  expect(codes(keychain + text('token(auth)'))).toEqual([]);
  const calls: TaskCall[] = [];
  simulate(plan(keychain + text('token(auth)')), { mocks: { start_task: (each) => (calls.push(each), 1) } });
  const [secret] = Object.values(calls[0]!.secrets!).flatMap((one) => ('entry' in one ? [one.entry] : []));
  expect(secret).toMatchObject({ name: 'token(auth)', config: { auth: 'stored' } });
});

test.each([
  ['oauth2', '{name: my_google, kind: oauth2, endpoint: "http://x/token", client_id: a}'],
  ['bearer', '{name: my_google, kind: bearer, token: "{{ workload.nested.auth }}"}'],
  ['static', '{name: my_google, kind: static, map: {token: "{{ workload.nested.auth }}"}}'],
])('a path may lead to an entry of kind %s that says itself how it comes to a token', (_, entry) => {
  const keychain = `keychain:\n- ${entry}\n- {name: none, kind: static, map: {other: '{{ workload.nested.auth }}'}}\n`;
  const used = ', params: {u: "{{ keychain.none.other }}"}';
  expect(codes(keychain + text('token(auth)', used))).toEqual([]);
  const made = plan(keychain + text('token(workload.auth)', used));
  expect(made.keychain.map(({ name }) => name)).toEqual(['my_google', 'none', 'token(workload.auth)']);
  const calls: TaskCall[] = [];
  simulate(made, { mocks: { start_task: (each) => (calls.push(each), 1) } });
  const secrets = JSON.stringify(calls[0]!.secrets);
  expect(secrets).toContain('{"name":"my_google"');
  expect(secrets).toContain('"name":"token(workload.auth)"');
});

test('an entry of the keychain may read a token', () => {
  const keychain = `keychain: [{name: both, kind: static, map: {t: '{{ token("my_google") }}'}}]\n`;
  expect(plan(keychain + text('keychain.both.t')).keychain.map(({ name }) => name)).toEqual([
    'both',
    'token("my_google")',
  ]);
});

test('one credential is one entry', () => {
  expect(
    plan(text('token(auth)', ', params: {t: "{{ token(auth) }}", u: "{{ token(workload.auth) }}"}')).keychain,
  ).toHaveLength(2);
});

test('the keychain reads no results', () => {
  const keychain = 'keychain: [{name: api, kind: bearer, auth: "{{ start.name }}"}]\n';
  expect(codes(keychain + text('keychain.api.token'))).toContain('NT3014');
});

test.each([
  ['token(auth ~ "x")', ['NT4101']],
  ['token()', ['NT4101']],
  ['token(start.name)', ['NT4101']],
  ['token(ctx.name)', ['NT4101']],
  ['token(iter.name)', ['NT4101']],
  ['token(each)', ['NT4101']],
  ['token(nothing)', ['NT3012']],
])('%s is not known before the run', (call, found) => {
  expect(codes(text(call))).toEqual(expect.arrayContaining(found));
});

test('a secret cannot be read where history would have it', () => {
  expect(codes(text('token(auth)', ', set: {ctx.t: "{{ token(auth) }}"}'))).toContain('NT3101');
});
