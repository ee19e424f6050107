import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ToolError } from '../tool/outcome';
import { type CredentialProvider, defaultCredentials, facadeProvider } from '.';
import { configuredFacade } from './facade-client';

const CANARY = 'canary-of-the-facade-12';
const stored = { id: '1', name: 'pg', type: 'postgres', data: { db_password: CANARY } };

let asked: { url: string; authorization?: string }[] = [];
let answers: { status: number; body: object | string }[] = [];
let server: http.Server;
let url: string;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    asked.push({ url: request.url!, authorization: request.headers.authorization });
    const { status, body } = answers.length > 1 ? answers.shift()! : answers[0]!;
    response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let now = 0;
let provider: CredentialProvider;
beforeEach(() => {
  asked = [];
  answers = [{ status: 200, body: stored }];
  now = 0;
  provider = facadeProvider({ url, token: 'noetl_token' }, () => now);
});

const find = (name = 'pg', execution_id = '7') => provider.find(name, { execution_id });

test('it asks with its token and says for which execution, once in half a minute', async () => {
  const found = await Promise.all([find(), find(), find()]);
  expect(found).toEqual(Array(3).fill({ name: 'pg', type: 'postgres', data: { db_password: CANARY } }));
  expect(asked).toEqual([
    {
      url: '/api/credentials/pg?include_data=true&execution_id=7',
      authorization: 'Bearer noetl_token',
    },
  ]);
  await find('pg', '8');
  expect(asked[1]!.url).toContain('execution_id=8');
  now = 29_999;
  await find();
  expect(asked).toHaveLength(2);
  now = 30_000;
  await find();
  expect(asked).toHaveLength(3);
  await find('a/b c', '7');
  expect(asked[3]!.url).toMatch(/^\/api\/credentials\/a%2Fb%20c\?/);
});

test('no more than a bounded number is kept', async () => {
  for (let n = 0; n < 501; n++) await find(`c${n}`);
  await find('c500');
  expect(asked).toHaveLength(501);
  await find('c0');
  expect(asked).toHaveLength(502);
});

test('what is not there is asked for again, and the chain goes on', async () => {
  answers = [
    { status: 404, body: { detail: 'Credential not found' } },
    { status: 200, body: stored },
  ];
  expect(await find()).toBeUndefined();
  expect(await find()).toMatchObject({ type: 'postgres' });
  answers = [{ status: 404, body: { detail: 'Credential not found', code: 'CREDENTIAL_NOT_FOUND' } }];
  const chained = defaultCredentials({ NOETL_FACADE_URL: `${url}/`, NOETL_TOKEN: 't' }).resolve('gone', {
    execution_id: '1',
  });
  await expect(chained).rejects.toThrow(
    /'gone' was not found; .*\(POST http:\/\/127\.0\.0\.1:\d+\/api\/credentials/,
  );
});

const failed = async (): Promise<object> => {
  const error = await find().then(
    () => undefined,
    (thrown: ToolError) => thrown,
  );
  expect(error!.message).not.toContain('noetl_token');
  return { ...error!.outcome.error };
};

test.each<[number, object | string, object, RegExp]>([
  [
    401,
    { detail: 'a token is needed' },
    { kind: 'auth', code: 'FACADE_DENIED', retryable: false },
    /scope worker/,
  ],
  [403, { detail: 'it lacks the scope' }, { kind: 'auth', code: 'FACADE_DENIED' }, /403: it lacks the scope/],
  [404, '<html>not here', { kind: 'validation', code: 'FACADE_INVALID' }, /check NOETL_FACADE_URL/],
  [302, '', { kind: 'connection', code: 'FACADE_UNREACHABLE' }, /is not responding/],
  [503, { code: 'KEY_UNKNOWN', detail: 'no key' }, { code: 'KEY_UNKNOWN', retryable: false }, /no key/],
])('status %d is told clearly: %j', async (status, body, error, message) => {
  answers = [{ status, body }];
  expect(await failed()).toMatchObject({ ...error, message: expect.stringMatching(message) });
});

test('a facade that is busy for a moment is asked again; one that stays away is retryable', async () => {
  answers = [
    { status: 503, body: {} },
    { status: 200, body: stored },
  ];
  expect(await find()).toMatchObject({ type: 'postgres' });
  const gone = http.createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const nowhere = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  provider = facadeProvider({ url: nowhere });
  expect(await failed()).toMatchObject({
    kind: 'connection',
    code: 'FACADE_UNREACHABLE',
    retryable: true,
    message: `the facade at ${nowhere} is not responding (ECONNREFUSED)`,
  });
});

test('the address comes from the environment; one that is none is refused', () => {
  expect(configuredFacade({})).toBeUndefined();
  expect(configuredFacade({ NOETL_FACADE_URL: 'https://f/x/', NOETL_TOKEN: ' t ' })).toEqual({
    url: 'https://f/x',
    token: 't',
  });
  expect(() => configuredFacade({ NOETL_FACADE_URL: 'facade:8082' })).toThrow('NOETL_FACADE_URL');
});
