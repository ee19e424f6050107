import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type JsonObject, type SecretEntry } from '../../../src/language/plan';
import { Keychain, type ResolvedEntry, SharedCache } from '.';

/** A facade's `auth_cache`, as far as workers see it. */
const kept = new Map<string, JsonObject>();
let isUp = true;
let requests: string[] = [];
let server: http.Server;
let url: string;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const key = request.url!.split('/').at(-1)!;
      requests.push(request.method!);
      const answer = (status: number, said: object): void => {
        response.writeHead(isUp ? status : 500, { 'content-type': 'application/json' });
        response.end(JSON.stringify(said));
      };
      if (request.method === 'PUT') kept.set(key, JSON.parse(body) as JsonObject);
      if (request.method === 'DELETE') kept.delete(key);
      const found = kept.get(key);
      answer(found || request.method === 'DELETE' ? 200 : 404, found ?? { code: 'NOT_CACHED' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let now: number;
let issued: number;
beforeEach(() => {
  now = Date.now();
  issued = 0;
  isUp = true;
  requests = [];
  kept.clear();
});

const worker = (): Keychain => new Keychain(new SharedCache({ url }, () => now), () => now);
const entry: SecretEntry = { name: 'api', kind: 'oauth2', config: { endpoint: 'e' }, execution_id: '7' };
const token = (): Promise<ResolvedEntry> => {
  issued += 1;
  const value = { token: `token-number-${issued}` };
  const expiresAt = now + 3_600_000;
  return Promise.resolve({
    value,
    secrets: [value.token],
    source: 'e',
    renewable: true,
    resolvedAt: now,
    expiresAt,
  });
};

test('many workers share one token, until it is about to expire; then one of them fetches the next', async () => {
  const [one, two] = [worker(), worker()];
  const first = await one.resolve(entry, token);
  expect(await two.resolve(entry, token)).toEqual(first);
  expect(issued).toBe(1);
  expect([...kept.values()]).toEqual([
    {
      credential_name: 'api',
      credential_type: 'oauth2',
      execution_id: '7',
      data: first,
      expires_at: expect.any(String),
    },
  ]);
  requests = [];
  await two.resolve(entry, token);
  expect(requests).toEqual([]);

  now += 3_590_000;
  const next = await two.resolve(entry, token);
  expect(next.value).toEqual({ token: 'token-number-2' });
  expect(await one.resolve(entry, token)).toEqual(next);
  expect(issued).toBe(2);
});

test('an entry of scope global is kept for all executions', async () => {
  const config = { endpoint: 'e', scope: 'global' };
  await worker().resolve({ ...entry, config }, token);
  expect([...kept.values()][0]).not.toHaveProperty('execution_id');
  await worker().resolve({ ...entry, config, execution_id: '8' }, token);
  expect(issued).toBe(1);
  await worker().resolve({ ...entry, execution_id: '8' }, token);
  expect(issued).toBe(2);
});

test('a token that was refused is forgotten for all, unless another worker has a newer one', async () => {
  const [one, two] = [worker(), worker()];
  await one.resolve(entry, token);
  await two.resolve(entry, token);
  now += 1000;
  await one.forget(entry, now);
  expect(kept.size).toBe(0);
  const newer = await one.resolve(entry, token);
  now += 1000;
  await two.forget(entry, now);
  expect(await two.resolve(entry, token)).toEqual(newer);
  expect(issued).toBe(2);
});

test('what is no token stays with its worker', async () => {
  const fixed = async (): Promise<ResolvedEntry> => {
    const { renewable: _renewable, ...rest } = await token();
    return rest;
  };
  await worker().resolve(entry, fixed);
  await worker().resolve(entry, fixed);
  expect([issued, kept.size]).toEqual([2, 0]);
});

test('without the facade each worker fetches its own, and nothing fails', async () => {
  isUp = false;
  const one = worker();
  await one.resolve(entry, token);
  await one.resolve(entry, token);
  await worker().resolve(entry, token);
  expect(issued).toBe(2);
});

test('what a stranger put there is not taken for a token', async () => {
  await worker().resolve(entry, token);
  const [key] = kept.keys();
  const strange: JsonObject[] = [
    {},
    { value: 'text', secrets: [] },
    { value: {}, secrets: [], expiresAt: 'soon' },
  ];
  for (const data of strange) {
    kept.set(key!, { data, expires_at: new Date(now + 1000).toISOString() });
    await worker().resolve(entry, token);
  }
  expect(issued).toBe(4);
});
