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
      NoetlStatus: ['completed'],
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
        NoetlStatus: ['failed'],
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
