/** Starting executions over REST, at two facades on one database: what NoETL's clients send and read, and retries. */
import { createHmac } from 'node:crypto';
import path from 'node:path';
import { type Client } from '@temporalio/client';
import { executionIdOf } from '../../src/language/plan';
import { WORKFLOW_TASK_QUEUE } from '../../src/temporal/client';
import { startFacade } from '../support/facade';
import { ROOT, start } from '../support/process';
import { playbook, useTwoFacades } from '../support/two-facades';
import { until } from '../support/until';

const its = useTwoFacades();
const { ask, post, result } = its;

describe('execute', () => {
  test.each([
    [{ path: 'x/run', workload: { word: 'a' } }, 'a', 2],
    [{ path: 'x/run', version: 1, payload: { word: 'b' } }, 'b', 1],
    [{ path: 'x/run', version: 'latest', input: { word: 'c' } }, 'c', 2],
    [{ path: 'catalog://x/run@1' }, 'hi', 1],
    [{ path: 'run', resource_kind: 'playbook', workload: {} }, 'hi', 2],
  ])('starts %j', async (body, word, version) => {
    await post('/api/catalog/register', { content: playbook('x/run') });
    await post('/api/catalog/register', { content: playbook('x/run', '# two\n') });
    const answer = await post('/api/execute', body);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'started', commands_generated: 1, version },
    });
    expect(answer.body['execution_id']).toMatch(/^\d{15,19}$/);
    expect(await result(answer.body['execution_id'])).toEqual({ said: word });
  });

  test('by catalog id, with what a list of executions shows, and events that know the entry', async () => {
    const { body: entry } = await post('/api/catalog/register', { content: playbook('x/by-id') });
    for (const reference of [
      { catalog_id: entry['catalog_id'] },
      { playbook_id: entry['catalog_id'] },
      { playbook_id: 'x/by-id' },
      { path: `pbk_${String(entry['catalog_id'])}`, parent_execution_id: '77' },
    ]) {
      const { body } = await post('/api/execute', reference);
      const described = await its.stack.client.workflow
        .getHandle(`noetl-${String(body['execution_id'])}`)
        .describe();
      expect(described.memo).toMatchObject({
        noetl_catalog: { catalog_id: entry['catalog_id'], version: 1 },
        ...('path' in reference && { noetl_caller: { execution_id: '77' } }),
      });
      await result(body['execution_id']);
      const { body: events } = await ask(
        'GET',
        `/api/executions/${String(body['execution_id'])}/events?profile=noetl`,
      );
      const ids = (events['events'] as { catalog_id: string }[]).map(({ catalog_id }) => catalog_id);
      expect(new Set(ids)).toEqual(new Set([entry['catalog_id']]));
    }
  });

  test('a text that is not registered runs, and the catalog stays as it is', async () => {
    const content = playbook('x/draft');
    const { status, body } = await post('/api/execute/draft', {
      content,
      workload: { word: 'new', wrod: 1 },
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'started', path: 'x/draft', warnings: [expect.stringContaining('wrod') as string] },
    });
    expect(await result(body['execution_id'])).toEqual({ said: 'new' });
    expect((await post('/api/execute', { path: 'x/draft' })).status).toBe(404);
    const declared = content.replace('path: x/draft', 'path: x/draft, workload: {word: {enum: [a]}}');
    expect(await post('/api/execute/draft', { content: declared, workload: { word: 'b' } })).toMatchObject({
      status: 422,
      body: { code: 'WORKLOAD_INVALID' },
    });
    expect(await post('/api/execute/draft', { content: content.replace('noop', 'nop') })).toMatchObject({
      status: 422,
      body: { code: 'PLAYBOOK_INVALID', error: expect.stringContaining('noop') as string },
    });
  });

  test('sub-playbooks are those of the catalog, for workers beside the facade and for others', async () => {
    await post('/api/catalog/register/batch', {
      items: [
        { content: playbook('lib/inner') },
        {
          content: playbook('far/outer', '', 'tool: {kind: playbook, path: lib/inner, input: {word: deep}}'),
        },
        { content: playbook('x/top', '', 'tool: {kind: playbook, path: far/outer, version: 1}') },
        { content: playbook('x/lost', '', 'tool: {kind: playbook, path: far/away}') },
      ],
    });
    const { body } = await post('/api/execute', { path: 'x/top' });
    expect(await result(body['execution_id'])).toMatchObject({ said: 'deep' });
    const { body: lost } = await post('/api/execute', { path: 'x/lost' });
    await expect(result(lost['execution_id']!)).rejects.toMatchObject({
      cause: {
        type: 'PLAYBOOK_NOT_FOUND',
        message: expect.stringContaining('the catalog has no playbook far/away'),
      },
    });
    // Started by path and queue alone, as the `temporal` CLI and other clients do.
    const { workflow } = its.stack.client;
    const start = (path: string, ...args: unknown[]) =>
      workflow.start(path, { taskQueue: WORKFLOW_TASK_QUEUE, workflowId: `by-type-${path}`, args });
    const top = await start('x/top');
    expect(await top.result()).toMatchObject({ result: { said: 'deep' } });
    expect((await top.describe()).searchAttributes).toMatchObject({
      NoetlPlaybook: ['x/top'],
      NoetlStatus: ['started'],
    });
    const inner = await start('lib/inner', { word: 'direct' });
    expect(await inner.result()).toMatchObject({ result: { said: 'direct' } });
    for (const [path, near] of [
      ['x/topp', 'x/top'],
      ['inner', 'lib/inner'],
    ] as const) {
      const unknown = await start(path);
      await expect(unknown.result()).rejects.toMatchObject({
        cause: {
          type: 'PLAYBOOK_NOT_FOUND',
          message: `the catalog has no playbook ${path}: did you mean ${near}?`,
        },
      });
      expect((await unknown.describe()).searchAttributes).toMatchObject({
        NoetlPlaybook: [path],
        NoetlStatus: ['started'],
      });
    }
  });

  test.each([
    [{ path: 'nosuch/path' }, 404, 'Executable catalog entry not found: nosuch/path'],
    [{ path: 'x/run', version: 99 }, 404, 'Executable catalog entry not found: x/run@99'],
    [{ catalog_id: '5' }, 404, 'Executable catalog entry not found: 5'],
    [{ workload: {} }, 422, 'body: a `path` or a `catalog_id` is required'],
    [{ path: 'x/run', workload: [] }, 422, expect.stringMatching(/^body\.workload: /)],
  ])('%j is refused', async (body, status, detail) => {
    expect(await post('/api/execute', body)).toMatchObject({ status, body: { detail, error: detail } });
  });
});

describe('dedup', () => {
  const register = (path: string): Promise<unknown> =>
    post('/api/catalog/register', { content: playbook(path) });
  const count = async (path: string): Promise<number> =>
    (await its.stack.client.workflow.count(`NoetlPlaybook = '${path}'`)).count;

  test('one execution a key, at two facades that are asked at once; the others are told its id', async () => {
    await register('d/once');
    const body = { path: 'd/once', dedup: { key: 'order 17 \u00e4' } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        post('/api/execute', { ...body, workload: { word: `${n}` } }, { at: n % 2 }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const words = answers.map(({ body: { status, commands_generated } }) => [status, commands_generated]);
    expect(words.filter(([status]) => status === 'started')).toEqual([['started', 1]]);
    expect(words.filter(([status]) => status === 'duplicate')).toEqual(Array(19).fill(['duplicate', 0]));
    expect(new Set(answers.map(({ body: { execution_id } }) => execution_id)).size).toBe(1);
    expect(await until(() => count('d/once'))).toBe(1);
    // Whatever becomes of the playbook: a delivery that is repeated is that execution.
    await post('/api/catalog/delete', { path: 'd/once' });
    expect((await post('/api/execute', body)).body).toMatchObject({ status: 'duplicate', path: 'd/once' });
  });

  test('a key counts for its parent and its time, and a request that was refused leaves it free', async () => {
    await register('d/scoped');
    const ask = async (more: object, dedup: object = { key: 'k' }) => {
      const { body } = await post('/api/execute', { path: 'd/scoped', dedup, ...more });
      return [body['status'] ?? body['code'], body['execution_id']];
    };
    expect(await ask({ path: 'd/none' })).toEqual(['CATALOG_ENTRY_NOT_FOUND', undefined]);
    const [first, id] = await ask({});
    expect(first).toBe('started');
    expect(await ask({ parent_execution_id: '77' })).toMatchObject([
      'started',
      expect.not.stringMatching(`^${String(id)}$`),
    ]);
    expect(await ask({ parent_execution_id: 77 })).toMatchObject(['duplicate', expect.anything()]);
    expect(await ask({})).toEqual(['duplicate', id]);
    await its.database.query
      .updateTable('noetl.submission')
      .set({ created_at: new Date(Date.now() - 400_000) })
      .where('key', '=', 'k')
      .execute();
    expect(await ask({}, { key: 'k', window_secs: 600 })).toEqual(['duplicate', id]);
    const [again, other] = await ask({});
    expect([again, other === id]).toEqual(['started', false]);
    for (const dedup of [{}, { key: '' }, { key: 'k', window_secs: 0 }, { key: 'k', window_secs: 604_801 }])
      expect(await ask({}, dedup)).toEqual(['VALIDATION', undefined]);
    const both = await post(
      '/api/execute',
      { path: 'd/scoped', dedup: { key: 'k' } },
      { 'idempotency-key': 'i' },
    );
    expect(both.body).toMatchObject({ code: 'VALIDATION', at: 'body.dedup' });
  });

  test('what a facade claimed and did not start is started under that id by whoever is asked next', async () => {
    await register('d/crash');
    const dying = new Proxy(its.stack.client, {
      get: (target, name) =>
        name === 'workflow'
          ? { start: () => Promise.reject(new Error('killed')) }
          : Reflect.get(target, name),
    }) as Client;
    const killed = await startFacade({ client: dying }, { postgres: its.postgres });
    const body = { path: 'd/crash', dedup: { key: 'dropped' } };
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    expect((await fetch(`${killed.url}/api/execute`, init)).status).toBe(500);
    await killed.stop();
    const { execution_id } = await its.database.query
      .selectFrom('noetl.submission')
      .select('execution_id')
      .where('key', '=', 'dropped')
      .executeTakeFirstOrThrow();
    expect((await post('/api/execute', body)).body).toMatchObject({ status: 'started', execution_id });
    expect((await post('/api/execute', body)).body).toMatchObject({ status: 'duplicate', execution_id });
  });
});

describe('a batch', () => {
  test('starts each for itself: partial failures, duplicates, the order of the answers', async () => {
    await post('/api/catalog/register', { content: playbook('b/one') });
    const one = { path: 'b/one', workload: { word: 'x' } };
    const executions = [
      ...Array.from({ length: 30 }, () => one),
      { path: 'b/none' },
      { workload: {} },
      { ...one, worklod: 1, workload: undefined },
      { ...one, dedup: { key: 'b' } },
      { ...one, dedup: { key: 'b' } },
    ];
    const { status, body } = await post('/api/execute/batch', { executions });
    expect([status, body]).toMatchObject([200, { count: 35, started: 31, duplicates: 1, failed: 3 }]);
    const results = body['results'] as {
      index: number;
      status: string;
      execution_id?: string;
      code?: string;
    }[];
    expect(results.map(({ index }) => index)).toEqual([...executions.keys()]);
    expect(results.slice(30).map(({ status, code }) => code ?? status)).toEqual([
      'CATALOG_ENTRY_NOT_FOUND',
      'VALIDATION',
      'VALIDATION',
      'started',
      'duplicate',
    ]);
    expect(results[34]!.execution_id).toBe(results[33]!.execution_id);
    expect(await result(results[7]!.execution_id)).toEqual({ said: 'x' });
    for (const refused of [[], Array(1001).fill(one), [null]])
      expect((await post('/api/execute/batch', { executions: refused })).status).toBe(422);
  });
});

describe('execution_pool', () => {
  test('moves the tasks that name no pool of their own; a name that is none is refused', async () => {
    await post('/api/catalog/register', {
      content:
        playbook('p/pool', '', 'tool: {kind: http, url: "http://127.0.0.1:1"}\n  next: {arcs: [{step: b}]}') +
        '- step: b\n  spec: {pool: own}\n  tool: {kind: http, url: "http://127.0.0.1:1"}\n',
    });
    const given = { path: 'p/pool', execution_pool: 'iot', trace: { traceparent: 'x' } };
    const { body } = await post('/api/execute', given);
    expect(body['warnings']).toContain('trace: traces are not enabled at this server');
    const handle = its.stack.client.workflow.getHandle(`noetl-${String(body['execution_id'])}`);
    const queue = await until(async () =>
      (await handle.fetchHistory()).events
        ?.map((one) => one.activityTaskScheduledEventAttributes?.taskQueue?.name)
        .find((name) => name),
    );
    expect(queue).toBe('noetl-iot-http');
    await handle.terminate();
    expect(await post('/api/execute', { path: 'p/pool', execution_pool: 'a/b' })).toMatchObject({
      status: 422,
      body: { at: 'body.execution_pool', detail: expect.stringContaining('worker --pool') as string },
    });
  });
});

describe('Idempotency-Key', () => {
  const body = { path: 'i/once', workload: { word: 'x' } };
  beforeAll(async () => void (await post('/api/catalog/register', { content: playbook('i/once') })));

  test('the same request is the same execution, at both facades, also when they are asked at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        post('/api/execute', body, { at: n % 2, 'idempotency-key': 'many' }),
      ),
    );
    expect(new Set(answers.map(({ body: { execution_id } }) => execution_id)).size).toBe(1);
    // Another order of keys, another name of the field, a newer latest version: still that request.
    await post('/api/catalog/register', { content: playbook('i/once', '# two\n') });
    const again = await post(
      '/api/execute',
      { payload: { word: 'x' }, path: 'i/once' },
      { 'idempotency-key': 'many' },
    );
    expect(again.body).toEqual(answers[0]!.body);
    const started = await until(async () => {
      const found: unknown[] = [];
      for await (const { workflowId } of its.stack.client.workflow.list({
        query: `NoetlPlaybook = 'i/once'`,
      }))
        found.push(executionIdOf(workflowId));
      return found.length > 0 ? found : undefined;
    });
    expect(started).toEqual([again.body['execution_id']]);
    // It is known whatever became of the playbook: who repeats a request learns how the execution ended.
    await post('/api/catalog/delete', { path: 'i/once' });
    const late = await post('/api/execute', body, { 'idempotency-key': 'many' });
    expect(late.body).toEqual(again.body);
    await post('/api/catalog/restore', { path: 'i/once' });
  });

  test('another request under the key is refused, and a refused one leaves the key free', async () => {
    const key = { 'idempotency-key': 'taken' };
    expect(await post('/api/execute', { path: 'i/none' }, key)).toMatchObject({ status: 404 });
    expect(await post('/api/execute', body, key)).toMatchObject({ status: 200 });
    expect(await post('/api/execute', { ...body, workload: { word: 'y' } }, key)).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await post('/api/execute', body, { 'idempotency-key': 'a b' })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY' },
    });
  });

  test('a signed webhook of another system starts one, however often it is delivered', async () => {
    await post('/api/catalog/register', {
      content: playbook('i/hook').replace('workload: {', 'workload: { event: null, body: null, '),
    });
    const door = start(
      process.execPath,
      [path.join(ROOT, 'playbooks/api/webhook.mjs'), 'i/hook', '--port', '0'],
      {
        WEBHOOK_SECRET: 's3cret',
        NOETL_TOKEN: '',
        NOETL_FACADE_URL: its.url,
      },
    );
    await door.says(/127\.0\.0\.1:\d+/);
    const body = '{ "ref": "main",  "commits": 2 }';
    const deliver = (secret: string) =>
      fetch(/http:\/\/\S+/.exec(door.output())![0], {
        method: 'POST',
        body,
        headers: {
          'x-github-delivery': 'd1',
          'x-github-event': 'push',
          'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        },
      });
    expect((await deliver('other')).status).toBe(401);
    expect([(await deliver('s3cret')).status, (await deliver('s3cret')).status]).toEqual([202, 202]);
    const query = `NoetlPlaybook = 'i/hook'`;
    expect(await until(async () => (await its.stack.client.workflow.count(query)).count)).toBe(1);
    door.child.kill('SIGTERM');
    await door.finished;
  });

  test('what a facade wrote down and did not start is started by whoever is asked next', async () => {
    const dying = new Proxy(its.stack.client, {
      get: (target, name) =>
        name === 'workflow'
          ? { start: () => Promise.reject(new Error('killed')) }
          : Reflect.get(target, name),
    }) as Client;
    const killed = await startFacade({ client: dying }, { postgres: its.postgres });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'crash' },
      body: JSON.stringify(body),
    };
    expect((await fetch(`${killed.url}/api/execute`, request)).status).toBe(500);
    const written = await its.database.query
      .selectFrom('noetl.submission')
      .select(['execution_id', 'started_at'])
      .where('key', '=', 'crash')
      .executeTakeFirstOrThrow();
    expect(written.started_at).toBeNull();
    await killed.stop();
    const { body: answer } = await post('/api/execute', body, { at: 1, 'idempotency-key': 'crash' });
    expect(answer).toMatchObject({ execution_id: written.execution_id });
    expect(await result(written.execution_id)).toEqual({ said: 'x' });
  });
});
