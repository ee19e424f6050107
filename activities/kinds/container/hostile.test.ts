/** What an author gets out of a container at each level, at the level of the Docker API: what the engine is told. */
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type FakeEngine, fakeEngineForEach } from '../../../test/support/fake-engine';
import { type Named, VARIABLES } from '../../../test/support/hostile-variables';
import { run } from '../../../test/support/tool-call';
import { type Tool } from '../../framework/tool/tool';
import { script } from '../script/run';
import { container } from './run';

const running = fakeEngineForEach();
let engine: FakeEngine;
let created: JsonObject[];
const before = { ...process.env };
beforeEach(() => {
  engine = running();
  created = [];
  engine.answers['POST /containers/create'] = ({ body }) => {
    created.push(JSON.parse(body.toString()) as JsonObject);
    return undefined;
  };
  Object.assign(process.env, {
    NOETL_TOKEN: 'secret-of-the-worker',
    DATABASE_URL: 'postgres://secret-of-the-worker',
  });
});
afterEach(() => {
  process.env = { ...before };
});

const LEVELS = ['none', 'standard', 'strict'] as const;
const KINDS: readonly (readonly [string, Tool, (fields: JsonObject) => JsonObject])[] = [
  ['container', container, (fields) => ({ image: 'x', ...fields })],
  [
    'script',
    script,
    ({ env, ...fields }) => ({ code: 'true', env: env ?? {}, container: { image: 'x', ...fields } }),
  ],
];
const CELLS = KINDS.flatMap((kind) => LEVELS.map((level) => [kind[0], level, kind] as const));
const start = (
  [, tool, config]: (typeof KINDS)[number],
  sandbox: string,
  fields: JsonObject,
): Promise<Outcome> => run(tool, config(fields), { options: { sandbox } });

describe.each(CELLS)('%s in %s', (_kind, level, kind) => {
  test('no variable is anything but a variable of the container', async () => {
    const named: [string, Named][] = Object.entries({ ...VARIABLES, DOCKER_HOST: () => 'tcp://127.0.0.1:1' });
    const env = Object.fromEntries(
      named.map(([name, value]) => [name, typeof value === 'function' ? value('/traps') : '/traps']),
    );
    const worker = { ...process.env };
    const { error, meta } = await start(kind, level, { env });
    expect([error, meta['sandbox']]).toEqual([null, level === 'none' ? undefined : level]);
    const [{ Env, ...rest }] = created as [JsonObject];
    const own = (Env as string[]).filter(
      (one) => !one.startsWith('NOETL_EXECUTION_ID=') && !one.startsWith('NOETL_IDEMPOTENCY_KEY='),
    );
    expect(own.sort()).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
    expect(JSON.stringify(rest)).not.toMatch(/\/traps|127\.0\.0\.1/);
    expect(JSON.stringify(created)).not.toContain('secret-of-the-worker');
    expect(process.env).toEqual(worker);
  });

  test('in a sandbox it has no network, no privilege and no more than its share, without one what it asks for', async () => {
    await start(kind, level, { user: 'root' });
    const host = (created[0] as { HostConfig: JsonObject }).HostConfig;
    if (level === 'none') expect(host).toEqual({ Mounts: [] });
    else
      expect(host).toEqual({
        Mounts: [],
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: 4096 * 1024 * 1024,
        PidsLimit: 256,
      });
  });
});

const LEADS_OUT: readonly JsonObject[] = [
  { mounts: ['/:/host'] },
  { mounts: ['/:/host:ro'] },
  { mounts: ['/var/run/docker.sock:/s'] },
  { mounts: ['results:/data'] },
  { mounts: [{ type: 'volume', source: '/', target: '/x' }] },
  { mounts: [{ target: '/ok' }, { type: 'bind', source: 'relative', target: '/x' }] },
  { network: 'host' },
  { network: 'bridge' },
  { network: 'container:facade' },
  { network: 'None' },
  { network: ' none' },
  { network: 'slirp4netns:allow_host_loopback=true' },
  { limits: { memory_mb: 1e6 } },
  { limits: { pids: 1e6 } },
  { runtime: 'kubernetes' },
  { runtime: { provider: 'docker', mounts: ['/:/host'] } },
];

test.each(
  KINDS.flatMap((kind) =>
    LEADS_OUT.map((fields) => [kind[0], JSON.stringify(fields), kind, fields] as const),
  ),
)('%s, %s: refused in a sandbox before anything is made', async (_kind, _fields, kind, fields) => {
  for (const level of ['standard', 'strict']) {
    const { error } = await start(kind, level, fields);
    expect(error?.code).toMatch(/^SANDBOX_(CONTAINER|UNAVAILABLE)$/);
  }
  expect(engine.requests).toEqual([]);
});

test('a worker that allows no less than standard has no container without', async () => {
  process.env['NOETL_SANDBOX'] = 'standard';
  const { error } = await run(container, { image: 'x' }, { options: { sandbox: 'none' } });
  expect(error).toMatchObject({ code: 'SANDBOX_REFUSED' });
  expect((await run(container, { image: 'x', mounts: ['/:/host'] })).error).toMatchObject({
    code: 'SANDBOX_CONTAINER',
  });
  expect(engine.requests).toEqual([]);
});

test('memory in its own file systems, fewer limits and the files of the task are no way out', async () => {
  const fields = {
    mounts: [{ target: '/scratch' }],
    network: 'none',
    limits: { cpus: 1, memory_mb: 64, pids: 5 },
  };
  expect(
    (await run(container, { image: 'x', ...fields }, { options: { sandbox: 'strict' } })).error,
  ).toBeNull();
  expect((created[0] as { HostConfig: JsonObject }).HostConfig).toMatchObject({
    PidsLimit: 5,
    Memory: 64 * 1024 * 1024,
  });
});
