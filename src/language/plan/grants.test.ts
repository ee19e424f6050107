import { grantRequest, grantRequestOfLease } from './grants';
import { type Json, type Plan, type TaskCall } from '.';

const call = (config: Json, more: Partial<TaskCall> = {}): TaskCall =>
  ({ execution_id: '7', task_run_id: 'a#1.a~1@1', kind: 'http', config, ...more }) as TaskCall;
const opens = (one: TaskCall) => grantRequest(one, 'noetl-7', undefined)?.opens;

test.each<[string, Json, readonly string[]]>([
  ['a name', { auth: 'pg' }, ['pg']],
  ['a mapping with a name', { auth: { type: 'postgres', credential: 'pg' } }, ['pg']],
  ['aliases', { auth: { a: { credential: 'x' }, b: { credential: 'y' } } }, ['x', 'y']],
  ['both ends of a transfer', { source: { auth: 's' }, target: { credential: 't' } }, ['s', 't']],
  ['a list', { tables: [{ auth: 'x' }] }, ['x']],
])('%s', (_, config, names) => expect(opens(call(config))).toEqual({ 7: names }));

test('a secret is named by the kind `secrets`, and nothing by the keys of others', () => {
  const named = { provider: 'credential', secret: 'x', key: 'y' };
  expect(opens(call(named, { kind: 'secrets' }))).toEqual({ 7: ['x', 'y'] });
  expect(opens(call(named))).toBeUndefined();
});

test('a call that names nothing asks for nothing', () => {
  expect(opens(call({ url: 'http://x', data: { authors: ['pg'], auth: { token: 't' } } }))).toBeUndefined();
});

test('entries of the keychain, for the execution that declares them', () => {
  const secrets = {
    s1: { entry: { name: 'api', kind: 'oauth2', config: { auth: 'client' }, execution_id: '5' } },
    s2: { entry: { name: 'pg', kind: 'credential', config: {}, execution_id: '7' } },
    s3: { ref: { provider: 'vault', secret: 'app/x', auth: 'my_vault' } },
  };
  expect(opens(call({ auth: 'own' }, { secrets }))).toEqual({
    5: ['api', 'client'],
    7: ['app/x', 'my_vault', 'own', 'pg'],
  });
});

test('a keychain is checked by workers of the kind secrets', () => {
  expect(grantRequest(call({ auth: 'x' }, { kind: 'keychain' }), 'noetl-7', 'eu')).toMatchObject({
    kind: 'secrets',
    pool: 'eu',
  });
});

test('a lease opens what its plan names, too', () => {
  const compiled = {
    map: [
      ['auth', { const: 'next' }],
      ['url', { template: [] }],
    ],
  };
  const plan = {
    keychain: [{ name: 'app', kind: 'credential', config: { const: { credential: 'mine' } } }],
    steps: [{ tasks: [{ kind: 'http', config: compiled }] }],
  } as unknown as Plan;
  const activity = { workflow: 'noetl-7', task: 'x', kind: 'local', pool: 'default' };
  const about = { plan, calls: [call({ auth: 'first' })], secrets: undefined };
  expect(grantRequestOfLease(activity, '7', about)?.opens).toEqual({ 7: ['app', 'first', 'mine', 'next'] });
});
