/**
 * The HTTP API the conformance playbooks expect, on a free port: paginated lists by page, offset and cursor, a flaky
 * one, a heavy one, chosen errors, a concurrency probe, and stand-ins for the public hosts they name
 * (the conformance playbooks of EXTRAS in present.ts). Hosts are rewritten to it by the test that uses it.
 */
import { type AddressInfo } from 'node:net';
import express, { type Express, type Request } from 'express';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

export interface MockApi {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Everything asked so far, in order of arrival. */
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

/** Items in every paginated list. */
export const TOTAL = 35;

export async function startMockApi(): Promise<MockApi> {
  const requests: RecordedRequest[] = [];
  const app = express();
  app.disable('x-powered-by');
  app.use(
    express.json({ limit: '50mb' }),
    express.urlencoded({ extended: true }),
    express.text({ type: 'text/*' }),
  );
  app.use((request, _response, next) => {
    const { method, path, query, headers } = request;
    requests.push({
      method,
      path,
      query: { ...query },
      headers: { ...headers },
      body: request.body as unknown,
    });
    next();
  });
  paginated(app);
  failing(app);
  concurrency(app);
  publicHosts(app);
  const server = app.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A query parameter as a number; anything else is the default. */
function number(request: Request, name: string, otherwise: number): number {
  const value = Number(request.query[name]);
  return request.query[name] !== undefined && Number.isFinite(value) ? value : otherwise;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

function pageOf(request: Request): { page: number; pageSize: number; ids: number[]; hasMore: boolean } {
  const page = Math.max(1, number(request, 'page', 1));
  const pageSize = Math.max(1, number(request, 'pageSize', 10));
  const start = (page - 1) * pageSize;
  const end = Math.min(start + pageSize, TOTAL);
  return { page, pageSize, ids: range(start + 1, end + 1), hasMore: end < TOTAL };
}

function paginated(app: Express): void {
  app.get('/api/v1/assessments', (request, response) => {
    const { page, pageSize, ids, hasMore } = pageOf(request);
    const data = ids.map((id) => ({ id, name: `Assessment ${id}`, score: 50 + (id % 50) }));
    response.json({ data, paging: { hasMore, page, pageSize, total: TOTAL } });
  });
  app.get('/api/v1/users', (request, response) => {
    const offset = Math.max(0, number(request, 'offset', 0));
    const limit = Math.max(1, number(request, 'limit', 10));
    const end = Math.min(offset + limit, TOTAL);
    const users = range(offset + 1, end + 1).map((id) => ({
      id,
      username: `user${id}`,
      email: `user${id}@example.com`,
    }));
    response.json({ users, has_more: end < TOTAL, offset, limit, total: TOTAL });
  });
  app.get('/api/v1/events', (request, response) => {
    const limit = Math.max(1, number(request, 'limit', 10));
    const cursor = typeof request.query['cursor'] === 'string' ? request.query['cursor'] : '';
    const page = cursor ? Number(Buffer.from(cursor, 'base64').toString()) : 1;
    if (!Number.isInteger(page) || page < 1) {
      response.status(400).json({ error: 'bad cursor' });
      return;
    }
    const start = (page - 1) * limit;
    const end = Math.min(start + limit, TOTAL);
    const events = range(start + 1, end + 1).map((id) => ({
      id,
      type: id % 2 ? 'created' : 'updated',
      timestamp: new Date(Date.UTC(2026, 0, 1) + id * 60_000).toISOString(),
      data: { value: id },
    }));
    const next_cursor = end < TOTAL ? Buffer.from(String(page + 1)).toString('base64') : null;
    response.json({ events, next_cursor, limit });
  });
  app.get('/api/v1/heavy', (request, response) => {
    const page = Math.max(1, number(request, 'page', 1));
    const pageSize = Math.max(1, number(request, 'pageSize', 100));
    const payload = 'x'.repeat(Math.max(0, number(request, 'payload_kb', 1)) * 1024);
    const total = 1000;
    const end = Math.min(page * pageSize, total);
    const data = range((page - 1) * pageSize + 1, end + 1).map((id) => ({ id, name: `Item ${id}`, payload }));
    response.json({
      data,
      paging: { hasMore: end < total, page, pageSize, total },
      meta: { payload_kb: payload.length / 1024, items: data.length },
    });
  });
}

function failing(app: Express): void {
  const attempts = new Map<number, number>();
  app.get('/api/v1/flaky', (request, response) => {
    const { page, pageSize, ids, hasMore } = pageOf(request);
    const failOn = String(request.query['fail_on'] ?? '')
      .split(',')
      .map(Number);
    const attempt = (attempts.get(page) ?? 0) + 1;
    attempts.set(page, attempt);
    if (failOn.includes(page) && attempt === 1) {
      response.status(500).json({ error: `page ${page} fails on its first attempt` });
      return;
    }
    const data = ids.map((id) => ({ id, value: `item_${id}` }));
    response.json({ data, paging: { hasMore, page, pageSize, total: TOTAL }, attempt });
  });
  app.post('/api/v1/flaky/reset', (_request, response) => {
    attempts.clear();
    response.json({ status: 'reset' });
  });
  // `?status=503`, or `?status=503&times=2&key=a`: so often for each key, then 200.
  const failures = new Map<string, number>();
  app.all('/api/v1/errors', (request, response) => {
    const status = number(request, 'status', number(request, 'code', 500));
    const times = number(request, 'times', Infinity);
    const key = String(request.query['key'] ?? request.originalUrl);
    const seen = (failures.get(key) ?? 0) + 1;
    failures.set(key, seen);
    if (seen > times) response.json({ status: 'ok', attempts: seen });
    else response.status(status).json({ error: `status ${status} was asked for`, status, attempts: seen });
  });
  app.get('/api/v1/errors/:status', (request, response) => {
    const status = Number(request.params.status);
    response
      .status(status >= 200 && status <= 599 ? status : 400)
      .json({ error: `status ${status} was asked for`, status });
  });
  app.get('/api/v1/rate-limited', (request, response) => {
    const retryAfter = number(request, 'retry_after', 1);
    response
      .status(429)
      .set('Retry-After', String(retryAfter))
      .json({ error: 'too many requests', retry_after: retryAfter });
  });
}

function concurrency(app: Express): void {
  const none = { started: 0, completed: 0, active: 0, max_active: 0 };
  let stats = { ...none };
  app.post('/api/v1/concurrency/reset', (_request, response) => {
    stats = { ...none };
    response.json({ status: 'reset' });
  });
  app.get('/api/v1/concurrency/probe', (request, response) => {
    const mine = stats; // a reset in between starts a count of its own
    mine.started++;
    mine.active++;
    mine.max_active = Math.max(mine.max_active, mine.active);
    const id = mine.started;
    const seconds = number(request, 'delay_seconds', 0.1);
    let over = false;
    const leave = (completed: boolean): void => {
      if (over) return;
      over = true;
      mine.active--;
      if (completed) mine.completed++;
    };
    const timer = setTimeout(() => {
      leave(true);
      response.json({ status: 'ok', id, delay_seconds: seconds, active: mine.active });
    }, seconds * 1000);
    response.on('close', () => {
      clearTimeout(timer);
      leave(false);
    });
  });
  app.get('/api/v1/concurrency/stats', (_request, response) => {
    response.json({ ...stats });
  });
}

function publicHosts(app: Express): void {
  app.get('/posts', (_request, response) => {
    response.json(
      range(1, 101).map((id) => ({
        userId: Math.ceil(id / 10),
        id,
        title: `It's post ${id}, isn't it`,
        body: `first line of ${id}\nsecond line\nit's "quoted"`,
      })),
    );
  });
  const here = (request: Request): string => `http://${request.headers.host ?? ''}${request.originalUrl}`;
  app.get('/get', (request, response) => {
    response.json({ url: here(request), args: request.query, headers: request.headers });
  });
  app.post('/post', (request, response) => {
    const json: unknown = request.is('application/json') ? request.body : null;
    const form: unknown = request.is('application/x-www-form-urlencoded') ? request.body : {};
    response.json({ url: here(request), args: request.query, json, form, headers: request.headers });
  });
  app.get('/v1/forecast', (request, response) => {
    response.json({
      latitude: number(request, 'latitude', 0),
      longitude: number(request, 'longitude', 0),
      current: { temperature_2m: 21.5 },
      current_weather: { temperature: 21.5, windspeed: 3.0 },
      hourly: { temperature_2m: [15, 22, 25], time: ['a', 'b', 'c'] },
    });
  });
  app.get('/health', (_request, response) => {
    response.json({ status: 'ok' });
  });
}
