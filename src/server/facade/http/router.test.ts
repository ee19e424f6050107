/** Declared routes: checked input, rights, answers, and the document made of them. */
import express from 'express';
import { z } from 'zod';
import { docsOf } from '../../../language/errors';
import { openFor } from './authenticate';
import { answerErrors, FacadeError, noRoute } from './errors';
import { type Listening, listen } from './listen';
import { openApiOf } from './openapi';
import { RouteReply, type Route, plainRoute as route } from './route';
import { routerOf } from './router';

const answers = { 200: { description: 'fine', body: z.unknown() } };
const base = { scope: 'read', summary: 's', answers } as const;
const thing = z.object({ name: z.string() });
const routes: Route[] = [
  route('GET /things/{name+}', { ...base, params: thing, handle: ({ params }) => params }),
  route('GET /things/{name+}/schema', {
    ...base,
    params: thing,
    handle: ({ params }) => ({ schema: params.name }),
  }),
  route('GET /things/list', { ...base, handle: () => ['list'] }),
  route('POST /things', {
    ...base,
    body: z.object({ n: z.int(), m: z.string().default('x') }),
    handle: ({ body }) => new RouteReply(201, body),
  }),
];

let server: Listening;
beforeAll(async () => {
  const app = express();
  app.use(
    routerOf(routes, (request, scope) => {
      if (request.get('authorization') === 'no') throw new FacadeError(403, 'SCOPE', `needs ${scope}`);
      return openFor([])(request, scope);
    }),
    noRoute,
    answerErrors(
      () => undefined,
      () => undefined,
    ),
  );
  server = await listen(app, 0);
});
afterAll(() => server.close());

const get = async (path: string, init?: RequestInit): Promise<[number, unknown]> => {
  const response = await fetch(`${server.url}${path}`, init);
  return [response.status, await response.json()];
};
const post = (body: string): Promise<[number, unknown]> =>
  get('/things', { method: 'POST', headers: { 'content-type': 'application/json' }, body });

test('a path that says more wins, whatever the order of declaration', async () => {
  expect(await get('/things/list')).toEqual([200, ['list']]);
  expect(await get('/things/a/b')).toEqual([200, { name: 'a/b' }]);
  expect(await get('/things/a/b/schema')).toEqual([200, { schema: 'a/b' }]);
});

test('input is checked, defaults are filled in, and every field that is wrong is named', async () => {
  expect(await post('{"n": 1}')).toEqual([201, { n: 1, m: 'x' }]);
  expect(await post('{"n": "1", "m": 2}')).toEqual([
    422,
    expect.objectContaining({
      code: 'VALIDATION',
      at: 'body.n',
      detail: expect.stringMatching(/body\.n: .*; body\.m: /),
    }),
  ]);
});

test('who may not is told so before anything is looked at', async () => {
  expect(await get('/things/list', { headers: { authorization: 'no' } })).toEqual([
    403,
    { code: 'SCOPE', detail: 'needs read', error: 'needs read', docs: docsOf('SCOPE') },
  ]);
});

test('mistakes in declarations are seen at the start', () => {
  expect(() => routerOf([routes[0]!, routes[0]!], openFor([]))).toThrow('two routes for get /things/{name+}');
  const nameless = route('GET /x/{id}', { ...base, handle: () => null });
  expect(() => routerOf([nameless], openFor([]))).toThrow('names in the path and params differ');
});

test('the document names every route with its input', () => {
  const { paths } = openApiOf(routes, { version: '1' }) as { paths: Record<string, Record<string, unknown>> };
  expect(Object.keys(paths)).toEqual(['/things/{name}', '/things/{name}/schema', '/things/list', '/things']);
  expect(paths['/things']!['post']).toMatchObject({
    operationId: 'postThings',
    security: [{ bearer: ['read'] }],
    requestBody: { required: true },
  });
});

test('a field that is nearly another that is not given is refused; others are no harm', async () => {
  const app = express();
  const body = z.object({ path: z.string(), workload: z.record(z.string(), z.unknown()).optional() });
  const query = z.object({ status: z.string().optional(), page_size: z.string().optional() });
  app.use(
    routerOf(
      [
        route('POST /run', { ...base, body, handle: ({ body: given }) => given }),
        route('GET /list', { ...base, query, handle: ({ query: given }) => given }),
      ],
      openFor([]),
    ),
    answerErrors(
      () => undefined,
      () => undefined,
    ),
  );
  const there = await listen(app, 0);
  const ask = async (path: string, given?: object, type = 'application/json'): Promise<[number, object]> => {
    const init = given && { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(given) };
    const response = await fetch(`${there.url}${path}`, init);
    return [response.status, (await response.json()) as object];
  };
  try {
    expect(await ask('/run', { path: 'a', worklod: {} })).toMatchObject([
      422,
      { code: 'VALIDATION', detail: "body.worklod is not a field: did you mean 'workload'?" },
    ]);
    expect(await ask('/list?statuss=failed')).toMatchObject([
      422,
      { detail: "query.statuss is not a field: did you mean 'status'?" },
    ]);
    expect(await ask('/run', { path: 'a', workload: {}, workloads: 1, colour: 'red' })).toEqual([
      200,
      { path: 'a', workload: {} },
    ]);
    // As `curl -d` sends it.
    expect(await ask('/run', { path: 'a' }, 'application/x-www-form-urlencoded')).toMatchObject([
      415,
      {
        code: 'CONTENT_TYPE_UNSUPPORTED',
        detail: expect.stringContaining('content-type: application/json') as string,
      },
    ]);
  } finally {
    await there.close();
  }
});
