/** A run outlives the command that started it and the server that kept it: both killed, somebody else finishes it. */
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { CLI, noetl, start } from '../support/process';
import { someOf } from '../support/sampled';
import { until } from '../support/until';

test('a run whose command and server were killed is finished by the next command on the data folder', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-crash-'));
  fs.chmodSync(data, 0o755);
  const gate = path.join(data, 'gate');
  const marker = path.join(data, 'started');
  const playbook = path.join(data, 'crash.yaml');
  fs.writeFileSync(
    playbook,
    `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: crash, path: test/crash}
workflow:
- step: start
  tool: {kind: shell, cmds: ["echo once >> ${data}/first"]}
  vars: {seen: "{{ 1 + 1 }}"}
  next: {arcs: [{step: hold}]}
- step: hold
  tool: {kind: shell, cmds: ["echo x >> ${marker}; while [ ! -e ${gate} ]; do sleep 0.1; done"]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {done: true}}
`,
  );
  const env = { TEMPORAL_ADDRESS: '', NOETL_CREDENTIAL_PG_LOCAL: '', DATABASE_URL: '' };
  const first = start(process.execPath, [CLI, 'run', playbook, '--data', data], env);
  await first.says(/execution \d+/);
  const id = /execution (\d+)/.exec(first.output())![1]!;
  // There before it says anything.
  await until(() => fs.existsSync(marker) && fs.readFileSync(marker, 'utf8') === 'x\n');
  const server = serverPid(path.join(data, 'temporal'));
  first.child.kill('SIGKILL');
  process.kill(server, 'SIGKILL');
  await first.finished;
  fs.writeFileSync(gate, '');

  const dev = start(process.execPath, [CLI, 'dev', '--data', data, '--port', '0'], env);
  await dev.says(/REST\s+http:\/\/127\.0\.0\.1:\d+/);
  const api = /http:\/\/127\.0\.0\.1:\d+(?=\/api)/.exec(dev.output())![0];
  const status = await until(async () => {
    const answer = await fetch(`${api}/api/executions/${id}/status`);
    const document = (await answer.json()) as { completed: boolean };
    // 202: it has ended, and how is being derived.
    return answer.status === 200 && document.completed && document;
  });
  await tablesAgreeWithRest(dev.output(), data, { api, id });
  dev.child.kill('SIGINT');
  const { code } = await dev.finished;
  expect(status).toMatchObject({ status: 'COMPLETED', completed_steps: ['start', 'hold', 'end'] });
  expect(code).toBe(0);
  // What was finished before the crash is not done again; what was under way is.
  expect(fs.readFileSync(path.join(data, 'first'), 'utf8')).toBe('once\n');
  expect(fs.readFileSync(marker, 'utf8')).toBe('x\nx\n');
  fs.rmSync(data, { recursive: true, force: true });
});

/** What `dev` keeps of an execution in tables, as playbooks see them, is what REST tells of it. */
async function tablesAgreeWithRest(
  said: string,
  data: string,
  { api, id }: { api: string; id: string },
): Promise<void> {
  const url = new URL(/postgres:\/\/playbooks@\S+/.exec(said)![0]);
  url.password = fs.readFileSync(path.join(data, 'postgres', 'playbooks.password'), 'utf8');
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    const rowsOf = async (text: string): Promise<unknown[]> => (await client.query(text, [id])).rows;
    await until(async () => {
      const [row] = await rowsOf('SELECT status FROM noetl.execution WHERE execution_id = $1');
      return (row as { status?: string } | undefined)?.status === 'COMPLETED';
    });
    const [{ n }] = (await rowsOf('SELECT count(*)::int AS n FROM noetl.event WHERE execution_id = $1')) as [
      { n: number },
    ];
    expect(n).toBeGreaterThan(10);
    const { variables } = (await (await fetch(`${api}/api/vars/${id}`)).json()) as {
      variables: Record<string, object>;
    };
    const { updated_at: _, ...seen } = variables['seen'] as Record<string, unknown>;
    const columns =
      'var_value AS value, var_type AS type, source_step, created_at, accessed_at, access_count';
    const kept = await rowsOf(`SELECT ${columns} FROM noetl.transient WHERE execution_id = $1`);
    expect(JSON.parse(JSON.stringify(kept))).toEqual([seen]);
    expect(seen).toMatchObject({ value: 2, type: 'step_result', source_step: 'start', access_count: 0 });
  } finally {
    await client.end();
  }
}

test('a run whose server has ended says so at once, and which execution the next command goes on with', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-lost-'));
  fs.chmodSync(data, 0o755);
  const playbook = path.join(data, 'long.yaml');
  fs.writeFileSync(
    playbook,
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: long, path: test/long}\nworkflow:\n- step: start\n  tool: {kind: wait, for: 600}\n',
  );
  const env = { TEMPORAL_ADDRESS: '', NOETL_CREDENTIAL_PG_LOCAL: '', DATABASE_URL: '' };
  const running = start(process.execPath, [CLI, 'run', playbook, '--data', data, '--json'], env);
  await running.says(/execution \d+/);
  const id = /execution (\d+)/.exec(running.output())![1]!;
  process.kill(serverPid(path.join(data, 'temporal')), 'SIGKILL');
  const { code, stdout, stderr } = await running.finished;
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ execution_id: id, error: { code: 'TEMPORAL_ENDED' } });
  expect(stderr).toMatch(new RegExp(`execution ${id} was running.*\\[TEMPORAL_ENDED\\]`));
  expect(stderr).toMatch(/same data folder continues it\.\n.*log of the server: \S+temporal\.log/);
  fs.rmSync(data, { recursive: true, force: true });
});

test('dev says that its port is taken before it starts anything', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-taken-'));
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as net.AddressInfo;
  const { code, stderr } = await noetl(['dev', '--data', data, '--port', String(port)], {
    TEMPORAL_ADDRESS: '',
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: port ${port} is taken [PORT_IN_USE]\n  → Choose another port with --port.\n`,
  });
  expect(fs.readdirSync(data)).toEqual([]);
  holder.close();
  fs.rmSync(data, { recursive: true, force: true });
});

const SERVERS = [
  ['Temporal', 'temporal', /Stopping: the Temporal server ended; its log: \S+temporal\S*\.log/],
  ['Postgres', 'postgres', /Stopping: the embedded Postgres ended; its log: \S+postgres\S*\.log/],
] as const;
test.each(someOf(SERVERS, 2))(
  'dev ends, and says why, when its %s has ended',
  async (_, folder, said) => {
    const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-ended-'));
    fs.chmodSync(data, 0o755);
    const env = { TEMPORAL_ADDRESS: '', NOETL_CREDENTIAL_PG_LOCAL: '', DATABASE_URL: '' };
    const dev = start(process.execPath, [CLI, 'dev', '--data', data, '--port', '0'], env);
    await dev.says('Ctrl-C stops everything', 120_000);
    process.kill(serverPid(path.join(data, folder)), 'SIGKILL');
    const killed = Date.now();
    const { code, stderr, signal } = await dev.finished;
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    // A call to a server that is gone is tried again for 20 s.
    expect(Date.now() - killed).toBeLessThan(20_000);
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/^\s+at /m);
    fs.rmSync(data, { recursive: true, force: true });
  },
  240_000,
);

/** From the state that the keeper of the server leaves for other commands. */
function serverPid(folder: string): number {
  const file = path.join(folder, `${path.basename(folder)}.state.json`);
  const { serverPid } = JSON.parse(fs.readFileSync(file, 'utf8')) as { serverPid: number };
  return serverPid;
}
