/**
 * `serve` and `worker` as processes of their own, with nothing in common but Temporal, the database and the address
 * of the facade: sub-playbooks are those of the catalog, held to what they say of their inputs, and lists know them.
 */
import { CLI, type Running, start } from '../support/process';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

let server: TestServer;
let postgres: TestPostgres;
let facade: string;
const processes: Running[] = [];

const LIMIT_MS = 120_000;

beforeAll(async () => {
  [server, postgres] = await Promise.all([startTestServer(), startTestPostgres()]);
  const env = { TEMPORAL_ADDRESS: server.address, NOETL_STORAGE: 'none', NOETL_TOKEN: '' };
  const serving = run(['serve', '--port', '0', '--no-auth'], { ...env, DATABASE_URL: postgres.url });
  await serving.says(/"msg":"serving"/, LIMIT_MS);
  facade = /"url":"([^"]+)"/.exec(serving.output())![1]!;
  const worker = run(['worker', '--workflows'], { ...env, NOETL_FACADE_URL: facade });
  await worker.says(/serving noetl-workflows, noetl-playbooks/, LIMIT_MS);
}, 2 * LIMIT_MS);
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGTERM');
  await Promise.all(processes.map(({ finished }) => finished));
  await postgres?.stop();
  await server?.stop();
}, LIMIT_MS);

function run(args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const running = start(process.execPath, [CLI, ...args], env);
  processes.push(running);
  return running;
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`${facade}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  return (await response.json()) as T;
}

const playbook = (name: string, metadata: string, tool: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: apart/${name}${metadata}}\n` +
  `workload: {count: 1}\nworkflow:\n- step: start\n  tool: ${tool}\n`;

async function ends(path: string): Promise<{ status: string; error: string | null; id: string }> {
  const { execution_id: id } = await ask<{ execution_id: string }>('/api/execute', { path });
  const told = await until(async () => {
    const status = await ask<{ status: string; completed: boolean; error: string | null }>(
      `/api/executions/${id}/status`,
    );
    return status.completed ? status : undefined;
  }, LIMIT_MS);
  return { ...told, id };
}

test(
  'a worker of workflows asks the facade for what is called',
  async () => {
    const texts = [
      playbook(
        'price',
        ', workload: {count: {type: integer, minimum: 1}}',
        '{kind: noop, input: {n: "{{ workload.count }}"}}',
      ),
      playbook('order', '', '{kind: playbook, path: apart/price, input: {count: 3}}'),
      playbook(
        'broken',
        '',
        '{kind: playbook, path: apart/price, input: {count: "{{ workload.count - 1 }}"}}',
      ),
      playbook('plainly-broken', '', '{kind: playbook, path: apart/price, input: {count: many}}'),
    ];
    const { results } = await ask<{ results: { status: string; diagnostics: object[] }[] }>(
      '/api/catalog/register/batch',
      { items: texts.map((content) => ({ content })) },
    );
    expect(results.map(({ status }) => status)).toEqual(texts.map(() => 'registered'));
    // What can be seen without running it is seen when it is registered.
    expect(results.map(({ diagnostics }) => diagnostics)).toMatchObject([
      [],
      [],
      [],
      [
        {
          code: 'NT3027',
          severity: 'warning',
          message: '`count` of `apart/price` must be a whole number, not a string',
          line: 7,
        },
      ],
    ]);

    const done = await ends('apart/order');
    expect(done).toMatchObject({ status: 'COMPLETED' });
    const listed = async (): Promise<{ path: string }[]> =>
      await ask(`/api/executions?parent_execution_id=${done.id}`);
    let children = await listed();
    for (const deadline = Date.now() + LIMIT_MS; children.length === 0 && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      children = await listed();
    }
    const { catalog_id } = await ask<{ catalog_id: string }>('/api/catalog/resource', {
      path: 'apart/price',
    });
    expect(children).toMatchObject([
      { path: 'apart/price', version: 1, catalog_id, parent_execution_id: done.id },
    ]);

    const refused = await ends('apart/broken');
    expect(refused.status).toBe('FAILED');
    expect(refused.error).toBe(
      'start/start_task: playbook apart/price does not accept this input: workload.count must be at least 1',
    );
  },
  2 * LIMIT_MS,
);
