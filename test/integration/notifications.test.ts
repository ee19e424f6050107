/** Notifications, end to end: real playbooks, Postgres, SMTP and HTTP receivers, and a sender that is killed. */
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { Pool } from 'pg';
import { SMTPServer } from 'smtp-server';
import { type Message } from '../../src/server/notifications/message';
import { enterOutbox, type OutboxEntry } from '../../src/server/notifications/outbox';
import { measureTables } from '../../src/server/facade/executions/measured';
import { migrate } from '../../src/server/store';
import { keyRing, parseKeys } from '../../src/storage/keyring';
import { openAnswerLink } from '../../src/storage/sealed';
import { measureTriggers, TriggerStore } from '../../src/server/triggers';
import { Meters } from '../../src/telemetry/metrics';
import { executionIdOf } from '../../src/temporal/client';
import { contractClient } from '../support/contract';
import { startFacade } from '../support/facade';
import { CLI, noetl, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { playbooksOf } from '../support/playbooks';
import { nightlyTest } from '../support/sampled';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const CANARY = 'canary-smtp-password-1';
const LINK_KEY = Buffer.alloc(32, 9).toString('base64');

const playbook = (pathOf: string, metadata: string, workflow: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: x, path: ${pathOf}${metadata}}
${workflow}
`;
const FAILS = 'workflow: [{step: start, tool: {kind: shell, cmds: ["exit 3"]}}]';
const WAITS = (deadline: string): string =>
  `executor: {spec: {deadline: ${deadline}}}\nworkflow: [{step: start, tool: {kind: wait, event: go}}]`;

/** Fails whenever it is told something, and would be told of that by itself. */
const TELL = playbook('ops/tell', ', on: {failed: [{playbook: ops/tell}, {chat: team}]}', FAILS);

interface Request {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
const requests: Request[] = [];
/** By path; none: the request is left without an answer. */
const answers = new Map<string, number>();
const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (more: string) => (body += more));
  request.on('end', () => {
    const at = request.url!;
    requests.push({ path: at, headers: request.headers, body });
    const answer = answers.get(at);
    if (answer !== undefined) response.writeHead(answer).end();
  });
});
const mails: { to: string[]; text: string }[] = [];
const smtp = new SMTPServer({
  allowInsecureAuth: true,
  hideSTARTTLS: true,
  onAuth: ({ username, password }, _session, done) =>
    done(password === CANARY ? null : new Error('no'), { user: username }),
  onData(stream, session, done) {
    let text = '';
    stream.on('data', (more: Buffer) => (text += more.toString()));
    stream.on('end', () => {
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
      done();
    });
  },
});

let stack: Stack;
let url: string;
let pool: Pool;
let hooks: string;
let env: Record<string, string>;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-notify-'));
const settings = path.join(folder, 'notifications.yaml');
const running: Running[] = [];

beforeAll(async () => {
  stack = await startStack({
    kinds: ['shell'],
    postgres: true,
    playbooks: playbooksOf({ 'ops/tell': TELL, 'lib/waits': playbook('lib/waits', '', WAITS('1h')) }),
  });
  url = await stack.postgres.createDatabase('notifications');
  await migrate(url);
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  hooks = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = (smtp.server.address() as AddressInfo).port;
  const webhooks = ['hook', 'late', 'gone', 'clock', 'once', 'asks', 'quiet'].map(
    (name) => `  ${name}: {webhook: "${hooks}/${name}", secret: hook}\n`,
  );
  fs.writeFileSync(
    settings,
    `url: https://noetl.example.com
on: {cancelled: [{email: ops@example.com}]}
targets:
  team: {chat: ops}
${webhooks.join('')}`,
  );
  env = {
    TEMPORAL_ADDRESS: stack.server.address,
    NOETL_DATA_DIR: folder,
    NOETL_SECRETS_KEY: LINK_KEY,
    NOETL_OPENLINEAGE_TOKEN: 'lineage-token',
    NOETL_CREDENTIAL_HOOK: JSON.stringify({ secret: SECRET }),
    NOETL_CREDENTIAL_OPS: JSON.stringify({ url: `${hooks}/chat` }),
    NOETL_CREDENTIAL_SMTP: JSON.stringify({
      host: '127.0.0.1',
      port,
      secure: 'none',
      user: 'noetl',
      password: CANARY,
      from: 'NoETL <noetl@example.com>',
    }),
  };
});

afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ finished }) => finished));
  server.closeAllConnections();
  server.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
  await pool?.end();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

function project(): Running {
  const sinks = ['--notifications', settings, '--openlineage', `${hooks}/lineage`];
  const args = [CLI, 'project', '--database', url, ...sinks];
  const one = start(process.execPath, args, env);
  running.push(one);
  return one;
}
const idOf = ({ workflowId }: WorkflowHandle): string => executionIdOf(workflowId)!;
const begin = (yaml: string): Promise<WorkflowHandle> => stack.start(stack.compile(yaml));
const at = (where: string): Request[] => requests.filter((one) => one.path === where);
const dataOf = ({ body }: Request): Record<string, unknown> =>
  (JSON.parse(body) as { data: Record<string, unknown> }).data;

beforeEach(() => void answers.set('/lineage', 201));

test('the URL of an author is told, and not signed; a name that nobody lists is told to nobody', async () => {
  answers.set('/unsigned', 200);
  project();
  const on = `, on: {failed: [{webhook: "${hooks}/unsigned"}, {chat: ops}]}`;
  const handle = await begin(playbook('test/unsigned', on, FAILS));
  const told = await until(() => Promise.resolve(at('/unsigned')[0]));
  expect(dataOf(told)).toMatchObject({ cause: 'failed', execution_id: idOf(handle) });
  expect(told.headers).not.toHaveProperty('webhook-signature');
  const unlisted = `SELECT error FROM noetl.notification WHERE target = '{"name": "ops", "unlisted": "chat"}' AND error IS NOT NULL`;
  const [{ error }] = (await until(async () => {
    const { rows } = await pool.query<{ error: string }>(unlisted);
    return rows.length > 0 && rows;
  })) as [{ error: string }];
  expect(error).toMatch(/^NOTIFICATION_UNLISTED: the installation lists no chat called ops/);
  expect(at('/chat')).toEqual([]);
  const names = await inProcess(['notifications', 'targets', '--notifications', settings]);
  expect(names.stdout.split('\n')).toEqual(expect.arrayContaining(['chat: team', 'webhook: hook']));
  const killed = running.pop()!;
  killed.child.kill('SIGTERM');
  await killed.finished;
});

test('a notification survives the killing of its sender, which was just sending it', async () => {
  const on = `, on: {failed: [{webhook: hook}]}`;
  const first = project();
  const handle = await begin(playbook('test/fails', on, FAILS));
  const [before] = await until(() => Promise.resolve(at('/hook').length > 0 && at('/hook')));
  first.child.kill('SIGKILL');
  await first.finished;
  answers.set('/hook', 204);
  project();
  const again = await until(() => Promise.resolve(at('/hook')[1]));
  expect(again.headers['webhook-id']).toBe(before!.headers['webhook-id']);
  expect(again.body).toBe(before!.body);
  const signed = `${again.headers['webhook-id'] as string}.${again.headers['webhook-timestamp'] as string}.${again.body}`;
  const mac = createHmac('sha256', KEY).update(signed).digest('base64');
  expect(again.headers['webhook-signature']).toBe(`v1,${mac}`);
  expect(JSON.parse(again.body)).toMatchObject({
    type: 'execution.failed',
    data: {
      execution_id: idOf(handle),
      path: 'test/fails',
      status: 'failed',
      step: 'start',
      error: { code: 'EXIT_3', message: expect.stringContaining('3') as string },
      links: { execution: `https://noetl.example.com/api/executions/${idOf(handle)}` },
    },
  });
  const delivered = 'SELECT status, attempts FROM noetl.notification WHERE execution_id = $1';
  await until(async () => (await pool.query(delivered, [idOf(handle)])).rows[0]?.status === 'delivered');
  expect((await pool.query(delivered, [idOf(handle)])).rows).toEqual([{ status: 'delivered', attempts: 1 }]);
});

test('a playbook is started once with what happened; when it fails, people hear of it, and it does not start itself', async () => {
  answers.set('/chat', 200);
  const on = ', on: {failed: [{playbook: ops/tell}]}';
  const handle = await begin(playbook('test/loop', on, FAILS));
  const told = await until(() => Promise.resolve(at('/chat')[0]));
  const { text } = JSON.parse(told.body) as { text: string };
  expect(text).toContain('*ops/tell failed (');
  const started = await pool.query<{ starts: string; status: string }>(
    'SELECT starts, status FROM noetl.notification WHERE starts IS NOT NULL',
  );
  expect(started.rows).toEqual([{ starts: expect.stringMatching(/^\d+$/) as string, status: 'delivered' }]);
  const answer = stack.client.workflow.getHandle(`noetl-${started.rows[0]!.starts}`);
  expect(text).toContain(started.rows[0]!.starts);
  const { rows } = await pool.query<{ workload: { notification: Record<string, unknown> } }>(
    'SELECT workload FROM noetl.execution WHERE execution_id = $1',
    [executionIdOf(answer.workflowId)],
  );
  expect(rows[0]!.workload.notification).toMatchObject({
    type: 'execution.failed',
    data: { execution_id: idOf(handle), path: 'test/loop' },
  });
  // As a sender leaves it that dies between the start and its note of it: the next one starts nothing.
  const { runId } = await answer.describe();
  const answered = [started.rows[0]!.starts];
  await pool.query("UPDATE noetl.notification SET status = 'pending' WHERE starts = $1", answered);
  const twice = 'SELECT 1 FROM noetl.notification WHERE starts = $1 AND attempts = 2';
  await until(async () => (await pool.query(twice, answered)).rows[0]);
  expect((await answer.describe()).runId).toBe(runId);
});

test('an execution is late before it ends, and waits; each is told once', async () => {
  answers.set('/late', 200);
  const target = `[{webhook: late}]`;
  const handle = await begin(
    playbook('test/late', `, on: {late: ${target}, waiting: ${target}, completed: ${target}}`, WAITS('2s')),
  );
  // In any order: a busy machine may begin to wait when the deadline has passed.
  const told = (cause: string): Promise<Request> =>
    until(() => at('/late').find((one) => dataOf(one)['cause'] === cause));
  const waits = await told('waiting');
  expect(dataOf(waits)).toMatchObject({ cause: 'waiting', step: 'start', waiting_for: { event: 'go' } });
  const late = await told('late');
  expect(dataOf(late)).toMatchObject({ cause: 'late', status: 'running', step: 'start' });
  expect((await handle.describe()).status.name).toBe('RUNNING');
  const status = await inProcess(['status', idOf(handle), '--json'], env);
  expect(JSON.parse(status.stdout)).toMatchObject({ late: true, deadline_at: dataOf(late)['deadline_at'] });
  expect((await inProcess(['status', idOf(handle)], env)).stdout).toContain('late');
  await handle.signal('event', { name: 'go', payload: {} });
  expect(dataOf(await told('completed'))).toMatchObject({ status: 'completed' });
  expect(at('/late')).toHaveLength(3);
});

nightlyTest(
  'a wait with a form is told with its question and a link for its receiver, which is kept nowhere',
  async () => {
    answers.set('/asks', 200);
    const projecting = project();
    const form = '{title: "Pay {{ 2 + 3 }}?", who: {link: 1h}}';
    const handle = await begin(
      playbook(
        'test/asks',
        ', on: {waiting: [{webhook: asks}]}',
        `workflow: [{step: start, tool: {kind: wait, event: go, timeout: 1h, form: ${form}}}]`,
      ),
    );
    const id = idOf(handle);
    const told = await until(() => Promise.resolve(at('/asks').find((one) => one.body.includes(id))));
    const { waiting_for, links } = dataOf(told) as Record<string, Record<string, string>>;
    expect(waiting_for).toMatchObject({ event: 'go', title: 'Pay 5?' });
    expect(links!['answer']).toMatch(/^https:\/\/noetl\.example\.com\/answer\/[\w-]+$/);
    const keys = keyRing(parseKeys(LINK_KEY, 'the test'));
    expect(openAnswerLink(keys, links!['answer']!.split('/').at(-1)!)).toMatchObject({
      execution_id: id,
      task_run_id: 'start#1~1@1',
      to: expect.stringMatching(/^webhook 127\.0\.0\.1:\d+$/),
    });
    const { rows } = await pool.query(
      'SELECT message::text FROM noetl.notification WHERE execution_id = $1',
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain('/answer/');
    await handle.cancel();
    projecting.child.kill('SIGTERM');
    await projecting.finished;
  },
);

test('the installation is told of every execution, by e-mail; what is refused for good is listed, and sent on request', async () => {
  answers.set('/gone', 410);
  const on = `, on: {cancelled: [{webhook: gone}]}`;
  const handle = await begin(playbook('test/cancelled', on, WAITS('1h')));
  await until(
    async () =>
      (await pool.query('SELECT 1 FROM noetl.execution WHERE execution_id = $1', [idOf(handle)])).rows[0],
  );
  await handle.cancel();
  // Executions of other tests may still be told of.
  const subject = `Subject: test/cancelled was cancelled (${idOf(handle)})`;
  const mail = await until(() => Promise.resolve(mails.find(({ text }) => text.includes(subject))));
  expect(mail.to).toEqual(['ops@example.com']);
  const where = ['--database', url, '--json'];
  const listed = await until(async () => {
    const { stdout } = await inProcess(['notifications', 'list', '--status', 'dead', ...where], env);
    return (JSON.parse(stdout) as { notifications: { id: string; error: string }[] }).notifications[0];
  });
  expect(listed).toMatchObject({ cause: 'cancelled', attempts: 1, execution_id: idOf(handle) });
  expect(listed.error).toContain('answered 410');
  answers.set('/gone', 200);
  const retried = await inProcess(['notifications', 'retry', listed.id, ...where], env);
  expect(JSON.parse(retried.stdout)).toEqual({ ids: [listed.id] });
  await until(() => Promise.resolve(at('/gone').length > 1));
  // Secrets are in no row, no request, and not in what the projection says.
  const { rows } = await pool.query('SELECT * FROM noetl.notification');
  const seen = JSON.stringify([rows, requests, mails, running.map((one) => one.output())]);
  for (const secret of [CANARY, SECRET]) expect(seen).not.toContain(secret);
});

test('a schedule has targets and a deadline of its own; over REST, what was told is listed, and sent again', async () => {
  answers.set('/clock', 200);
  const facade = await startFacade(stack, { postgres: { ...stack.postgres, url } });
  const ask = contractClient(facade);
  try {
    const schedule = { name: 'clock', path: 'lib/waits', cron: ['0 0 1 1 *'], deadline_s: 1 };
    const wrong = await ask('post', '/api/schedules', {
      ...schedule,
      on: { late: [{ webhook: `${hooks}/x`, secret: 'hook' }] },
    });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'NT2098' } });
    expect(wrong.body['at']).toBe('body.on.late[0].secret');
    const on = { late: [{ webhook: 'clock' }] };
    const made = await ask('post', '/api/schedules', { ...schedule, on });
    expect(made).toMatchObject({ status: 201, body: { on, deadline_s: 1 } });
    await ask('post', '/api/schedules/clock/trigger', {});
    const late = dataOf(await until(() => Promise.resolve(at('/clock')[0])));
    expect(late).toMatchObject({ cause: 'late', path: 'lib/waits', schedule: { name: 'clock' } });
    const id = String(late['execution_id']);
    const status = await ask('get', `/api/executions/${id}/status`);
    expect(status.body).toMatchObject({ late: true, deadline_at: late['deadline_at'] });
    const listed = await ask('get', `/api/notifications?execution_id=${id}`);
    expect(listed.body['notifications']).toMatchObject([{ cause: 'late', status: 'delivered' }]);
    const [{ id: delivered }] = listed.body['notifications'] as unknown as [{ id: string }];
    expect((await ask('post', '/api/notifications/retry', { ids: [delivered] })).status).toBe(404);
    await pool.query(`UPDATE noetl.notification SET status = 'dead' WHERE id = $1`, [delivered]);
    const again = await ask('post', '/api/notifications/retry', { status: 'dead' });
    expect(again).toMatchObject({ status: 202, body: { ids: [delivered] } });
    await until(() => Promise.resolve(at('/clock').length > 1));
    await stack.client.workflow.getHandle(`noetl-${id}`).cancel();
    await stack.client.schedule.getHandle('clock').delete();
    expect(facade.reported).toEqual([]);
  } finally {
    await facade.stop();
  }
});

nightlyTest(
  'of a path that is silenced nobody is told; the list says who silenced it, and it is sent when that is over',
  async () => {
    answers.set('/quiet', 200);
    const facade = await startFacade(stack, { postgres: { ...stack.postgres, url } });
    const ask = contractClient(facade);
    const cli = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await inProcess(['notifications', ...args, '--server', facade.url], env);
      return stdout + stderr;
    };
    const on = `, on: {failed: [{webhook: quiet}], completed: [{webhook: quiet}]}`;
    const fails = async (where: string): Promise<string> => idOf(await begin(playbook(where, on, FAILS)));
    const told = (id: string): Promise<unknown> =>
      until(() => Promise.resolve(at('/quiet').find((one) => one.body.includes(id))));
    try {
      expect(await cli('silences')).toContain('nothing is silenced');
      expect(await cli('silence', 'quiet/*')).toContain('--for or --until');
      expect(await cli('silence', 'quiet/*', '--until', '2020-01-01T00:00:00Z')).toContain('is over');
      const args = ['--for', '2h', '--cause', 'failed,late', '--reason', 'a test'];
      expect(await cli('silence', 'quiet/*', ...args)).toMatch(/quiet\/\* is silenced until .*: 0 playbooks/);
      expect(await cli('silences')).toMatch(/quiet\/\* +20\S+ +failed, late +local +a test/);
      const held = await fails('quiet/one');
      await told(await fails('loud/quiet/one'));
      const of = async (id: string): Promise<object | undefined> => {
        const { body } = await ask('get', `/api/notifications?execution_id=${id}`);
        return (body['notifications'] as unknown as { status: string }[]).find(
          ({ status }) => status !== 'pending',
        );
      };
      const why = /^local silenced quiet\/\* until 20.*: a test$/;
      expect(await until(() => of(held))).toMatchObject({
        status: 'silenced',
        attempts: 0,
        error: expect.stringMatching(why) as string,
      });
      expect(await cli('list', '--status', 'silenced')).toContain('local silenced quiet/*');
      // Of another cause.
      const ends = 'workflow: [{step: start, tool: {kind: noop}}]';
      await told(idOf(await begin(playbook('quiet/two', on, ends))));
      expect(await cli('silence', 'quiet/*', '--end')).toContain('is not silenced any more');
      expect(await cli('silence', 'quiet/*', '--end')).toContain('nothing silences quiet/* now');
      await told(await fails('quiet/three'));
      expect(JSON.stringify(at('/quiet'))).not.toContain(held);
      // Meanwhile, the projection notes that it looks.
      const looks =
        "SELECT 1 FROM noetl.sink WHERE sink = 'postgres' AND looked_at > now() - interval '120 s'";
      expect((await pool.query(looks)).rows).toHaveLength(1);
      expect(await cli('retry', '--silenced')).toContain('1 notifications will be sent again');
      await told(held);
      expect(facade.reported).toEqual([]);
    } finally {
      await facade.stop();
    }
  },
);

test('the facade measures what others are to do, for they cannot when they are gone', async () => {
  const idle = await stack.postgres.createDatabase('standing');
  await migrate(idle);
  const tables = new Pool({ connectionString: idle });
  tables.on('error', () => undefined);
  const scrape = async (): Promise<string> => {
    const meters = new Meters();
    const database = {
      rows: async (text: string, values: readonly unknown[]) => (await tables.query(text, [...values])).rows,
    };
    measureTables(meters, database);
    measureTriggers(meters, new TriggerStore(database));
    return await meters.text();
  };
  expect(await scrape()).toMatch(/^noetl_notifications_overdue_seconds 0$/m);
  const pending = (id: string, target: string, next: string): Promise<unknown> =>
    tables.query(
      `INSERT INTO noetl.notification (id, target, cause, path, message, occurred_at, next_at)
       VALUES ($1, $2, 'failed', 'x', '{}', now(), now() + $3::interval)`,
      [id, target, next],
    );
  await pending('due', '{"chat": "ops"}', '-400 s');
  await pending('later', '{"chat": "ops"}', '1 h');
  await pending('of a trigger', '{"trigger": "1"}', '-9000 s');
  const trigger = (id: number, state: string, trouble: string | null): Promise<unknown> =>
    tables.query(
      `INSERT INTO noetl.trigger (trigger_id, path, source, mode, state, trouble_at)
       VALUES ($1, $2, 'nats', 'pull', $3, now() + $4::interval)`,
      [id, `in/${id}`, state, trouble],
    );
  await trigger(1, 'ACTIVE', '-100 s');
  await trigger(2, 'ACTIVE', null);
  await trigger(3, 'DEACTIVATED', '-100 s');
  for (const [id, expires] of [
    [1, '1 h'],
    [2, '1 h'],
    [3, '-1 h'],
  ] as const)
    await tables.query(
      `INSERT INTO noetl.trigger_dead (dead_id, trigger_id, message_id, body, sealed, headers, attributes, metadata, code, error, expires_at)
       VALUES ($1, 2, $2, '', false, '{}', '{}', '{}', 'X', 'x', now() + $3::interval)`,
      [id, String(id), expires],
    );
  await tables.query(
    `INSERT INTO noetl.sink VALUES ('postgres', now() - interval '500 s'), ('gone', now() - interval '9 days')`,
  );
  const text = await scrape();
  await tables.end();
  expect(text).toMatch(/^noetl_notifications_overdue_seconds 40\d/m);
  expect(text).toMatch(/^noetl_trigger_trouble_seconds\{subscription="in\/1",source="nats"\} 10\d/m);
  expect(text).toContain('noetl_trigger_trouble_seconds{subscription="in/2",source="nats"} 0');
  expect(text).toContain('noetl_trigger_dead_letters{subscription="in/1",source="nats"} 0');
  expect(text).toContain('noetl_trigger_dead_letters{subscription="in/2",source="nats"} 2');
  expect(text).not.toContain('in/3');
  expect(text).toMatch(/^noetl_projection_silence_seconds\{sink="postgres"\} 50\d/m);
  expect(text).not.toContain('gone');
});

test('the same news is entered once, whatever text it has; what is older than the outbox is none', async () => {
  const message: Message = {
    type: 'execution.failed',
    timestamp: new Date().toISOString(),
    data: {
      cause: 'failed',
      namespace: 'default',
      path: 'x',
      status: 'failed',
      error: { message: 'a\0b\ud800' },
    },
  };
  const entry: OutboxEntry = { key: 'test/once', message, targets: [{ chat: 'ops' }, { chat: 'unknown' }] };
  expect(await enterOutbox(pool, entry)).toBe(2);
  expect(await enterOutbox(pool, entry)).toBe(0);
  const past = { ...message, timestamp: '2020-01-01T00:00:00Z' };
  expect(await enterOutbox(pool, { ...entry, key: 'test/past', message: past, since: 'outbox' })).toBe(0);
  const row = await until(async () => {
    const { rows } = await pool.query<{ error: string | null; status: string }>(
      `SELECT * FROM noetl.notification WHERE path = 'x' AND target = '{"chat": "unknown"}'`,
    );
    return rows[0]?.error && rows[0];
  });
  expect(row).toMatchObject({
    status: 'pending',
    error: expect.stringContaining("'unknown' was not found") as string,
  });
});

test('lineage of the same executions arrives with the token, each run with its start and its end', async () => {
  const events = at('/lineage').map(({ body, headers }) => {
    expect(headers.authorization).toBe('Bearer lineage-token');
    return JSON.parse(body) as { eventType: string; job: { name: string }; run: { runId: string } };
  });
  const of = (name: string): string[] =>
    events.filter(({ job }) => job.name === name).map(({ eventType }) => eventType);
  expect(of('test/loop')).toEqual(['START', 'FAIL']);
  expect(of('test/loop.start.start_task')).toEqual(['START', 'FAIL']);
  expect(of('test/late')).toEqual(['START', 'COMPLETE']);
  expect(of('test/cancelled')).toEqual(['START', 'ABORT']);
});

test('a projection that takes what is there, and ends, sends what is due before it ends', async () => {
  for (const { child } of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ finished }) => finished));
  answers.set('/once', 200);
  const on = `, on: {failed: [{webhook: once}]}`;
  const handle = await begin(playbook('test/once', on, FAILS));
  await handle.result().catch(() => undefined);
  await until(async () => {
    const query = `WorkflowId = '${handle.workflowId}' AND ExecutionStatus != 'Running'`;
    return (await stack.client.workflow.count(query)).count > 0;
  });
  expect(
    await noetl(['project', '--once', '--database', url, '--notifications', settings], env),
  ).toMatchObject({ code: 0 });
  expect(at('/once').map(dataOf)).toMatchObject([{ cause: 'failed', execution_id: idOf(handle) }]);
});
