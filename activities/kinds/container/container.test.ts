/** The kind `container` at the level of the Docker API; test/integration/container.test.ts meets a real engine. */
import Docker from 'dockerode';
import { call, context, run } from '../../../test/support/tool-call';
import { type FakeEngine, fakeEngineForEach } from '../../../test/support/fake-engine';
import { unpacked } from '../../../test/support/unpacked';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { container as tool } from './run';
import { dockerEngine, engineAddress } from './engine';
import { containerIdentity, LABEL_TASK_RUN, LABEL_WORK } from './identity';
import { script } from '../script/run';

const running = fakeEngineForEach();
let engine: FakeEngine;
beforeEach(() => void (engine = running()));

const created = (): JsonObject[] => {
  const seen: JsonObject[] = [];
  engine.answers['POST /containers/create'] = ({ body, url }) => {
    seen.push({ ...(JSON.parse(body.toString()) as JsonObject), name: url.searchParams.get('name') });
    return undefined;
  };
  return seen;
};

test('every field arrives at the engine, the container ends, is told of and removed', async () => {
  const seen = created();
  engine.ends = { stdout: '{"n": 1}\n', stderr: 'warm\n', code: 0 };
  const outcome = await run(
    tool,
    {
      image: 'busybox:1',
      command: ['echo'],
      args: ['a b', 5, { x: 1 }],
      env: { MODE: 'fast', N: 3 },
      mounts: ['/data:/in:ro', 'cache:/cache', { target: '/tmp' }],
      limits: { cpus: 0.5, memory_mb: 64, pids: 20 },
      workdir: '/in',
      user: '1000:1000',
      network: 'none',
    },
    { input: { who: "O'Neil" } },
  );
  expect(outcome).toMatchObject({
    status: 'ok',
    result: { stdout: '{"n": 1}\n', stderr: 'warm\n', exit_code: 0, returncode: 0, data: { n: 1 } },
    meta: { image: 'busybox:1' },
  });
  expect(seen[0]).toMatchObject({
    name: expect.stringMatching(/^noetl-[0-9a-f]{24}$/) as string,
    Image: 'busybox:1',
    Entrypoint: ['echo'],
    Cmd: ['a b', '5', '{"x":1}'],
    Env: expect.arrayContaining(['MODE=fast', 'N=3', "NOETL_INPUT_WHO=O'Neil"]) as string[],
    WorkingDir: '/in',
    User: '1000:1000',
    HostConfig: {
      Mounts: [
        { Type: 'bind', Source: '/data', Target: '/in', ReadOnly: true },
        { Type: 'volume', Source: 'cache', Target: '/cache', ReadOnly: false },
        { Type: 'tmpfs', Source: '', Target: '/tmp', ReadOnly: false },
      ],
      NanoCpus: 5e8,
      Memory: 64 * 1024 * 1024,
      PidsLimit: 20,
      NetworkMode: 'none',
    },
  });
  // Nothing of the worker's own environment.
  expect(JSON.stringify(seen[0])).not.toContain('PATH=');
  expect(engine.containers.size).toBe(0);
});

test('a text is for the shell of the image; without a command the entrypoint stays', async () => {
  const seen = created();
  await run(tool, { image: 'x', command: 'echo $HOME' });
  await run(tool, { image: 'x', args: ['-v'] });
  expect(seen[0]).toMatchObject({ Entrypoint: ['/bin/sh', '-c', 'echo $HOME'], Cmd: [] });
  expect(seen[1]).toMatchObject({ Cmd: ['-v'] });
  expect(seen[1]).not.toHaveProperty('Entrypoint');
});

test.each([
  [
    '{"big": 9223372036854775807, "half": 0.5, "at": "2026-01-31"}',
    { big: '9223372036854775807', half: 0.5, at: '2026-01-31' },
  ],
  ['{"n": NaN}', null],
  [Buffer.from([0x61, 0xff]), null],
])('what it prints is data as what a script prints, none of it rounded: %s', async (stdout, data) => {
  engine.ends = { stdout, code: 0 };
  const { result } = await run(tool, { image: 'x' });
  expect(result).toMatchObject({ data, stdout: typeof stdout === 'string' ? stdout : 'a\ufffd' });
});

test('logs go to the heartbeats', async () => {
  engine.ends = { stdout: 'one\ntwo\n', stderr: 'three\n', code: 0 };
  const ctx = context();
  await run(tool, { image: 'x' }, {}, ctx);
  expect(ctx.beats.at(-1)).toMatchObject({ log: ['one', 'two', 'three'] });
});

describe('ends', () => {
  test('an exit code is an error, with what was said last', async () => {
    engine.ends = { stdout: 'out\n', stderr: 'first\nwhy\n', code: 3 };
    const { error, result } = await run(tool, { image: 'x' });
    expect(error).toMatchObject({ kind: 'exception', code: 'EXIT_3', retryable: false });
    expect(error!.message).toBe('the container of x ended with exit code 3: why');
    expect(result).toMatchObject({ stdout: 'out\n', exit_code: 3 });
  });

  test('running out of memory has a name', async () => {
    engine.ends = { code: 137, oom: true };
    const { error } = await run(tool, { image: 'x', limits: { memory_mb: 16 } });
    expect(error).toMatchObject({ kind: 'exception', code: 'OUT_OF_MEMORY', retryable: false });
    expect(error!.message).toContain('(limits.memory_mb: 16)');
  });

  test.each([
    ['a timeout', 0.2, 'timeout'],
    ['a cancellation', 60, 'cancelled'],
  ])('%s removes the container', async (_what, timeout, kind) => {
    engine.ends = undefined;
    const ctx = context();
    const running = run(tool, { image: 'x', timeout }, {}, ctx);
    if (kind === 'cancelled') {
      while (!engine.requests.includes('POST /containers/*/wait'))
        await new Promise((resolve) => setTimeout(resolve, 5));
      ctx.controller.abort();
    }
    expect((await running).error).toMatchObject({ kind });
    expect(engine.containers.size).toBe(0);
  });
});

describe('what a lost worker left behind', () => {
  const task = call('container', { image: 'x' });
  const { labels, name } = containerIdentity(task);
  const lost = (state: 'created' | 'running' | 'exited', more = {}) =>
    engine.leave({ name, Labels: { ...labels, ...more } }, state);
  const runs = () => engine.requests.filter((one) => /create|start/.test(one));

  test.each(['running', 'exited'] as const)(
    'a %s container is gone on with, and not run twice',
    async (state) => {
      lost(state);
      engine.ends = { stdout: 'done\n', code: 0 };
      const outcome = await run(tool, { image: 'x' });
      expect(outcome).toMatchObject({ status: 'ok', result: { stdout: 'done\n' }, meta: { adopted: true } });
      expect(runs()).toEqual([]);
      expect(engine.containers.size).toBe(0);
    },
  );

  test('one that was never started is removed, and made again', async () => {
    lost('created');
    expect((await run(tool, { image: 'x' })).meta['adopted']).toBeUndefined();
    expect(runs()).toEqual(['POST /containers/create', 'POST /containers/*/start']);
    expect(engine.containers.size).toBe(0);
  });

  test('one of an earlier attempt of the same work is removed; one of other work is left alone', async () => {
    lost('running', { [LABEL_TASK_RUN]: 'of-an-earlier-attempt' });
    const other = lost('running', { [LABEL_TASK_RUN]: 'x', [LABEL_WORK]: 'other' });
    expect((await run(tool, { image: 'x' })).status).toBe('ok');
    expect([...engine.containers.keys()]).toEqual([other.id]);
  });
});

describe('images', () => {
  const missing = () => {
    let pulled = false;
    engine.answers['POST /containers/create'] = () =>
      pulled ? undefined : { status: 404, json: { message: 'No such image: x:1' } };
    engine.answers['POST /images/create'] = ({ url }) => {
      pulled = url.searchParams.get('fromImage') === 'x';
      return undefined;
    };
  };

  test('a missing image is pulled, with the credential of the registry', async () => {
    missing();
    const ctx = context({ hub: { data: { username: 'u', password: 'p', serveraddress: 'hub.example' } } });
    expect((await run(tool, { image: 'x:1', auth: 'hub' }, {}, ctx)).status).toBe('ok');
    expect(engine.requests).toContain('POST /images/create');
  });

  test('unless it is never to be; `always` pulls one that is there', async () => {
    missing();
    expect((await run(tool, { image: 'x:1', pull: 'never' })).error).toMatchObject({
      code: 'IMAGE_NOT_FOUND',
    });
    expect(engine.requests).not.toContain('POST /images/create');
    expect((await run(tool, { image: 'x:1', pull: 'always' })).status).toBe('ok');
  });

  test.each<[string, Outcome['error'] extends infer _ ? JsonObject : never]>([
    [
      'manifest for x:1 not found: manifest unknown',
      { kind: 'not_found', code: 'IMAGE_NOT_FOUND', retryable: false },
    ],
    ['pull access denied for x, unauthorized', { kind: 'auth', code: 'IMAGE_DENIED', retryable: false }],
    ['dial tcp: lookup hub: i/o timeout', { kind: 'connection', code: 'IMAGE_PULL', retryable: true }],
  ])('a pull that fails (%s)', async (error, expected) => {
    missing();
    engine.answers['POST /images/create'] = () => ({
      status: 200,
      body: Buffer.from(`${JSON.stringify({ error })}\n`),
    });
    const outcome = await run(tool, { image: 'x:1' });
    expect(outcome.error).toMatchObject(expected);
    expect(outcome.error!.message).toContain(error);
  });
});

describe('an engine that refuses', () => {
  test.each([
    [
      'POST /containers/create',
      400,
      'invalid mount',
      { kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
    ],
    [
      'POST /containers/create',
      500,
      'disk full',
      { kind: 'server_error', code: 'ENGINE_ERROR', retryable: true },
    ],
    [
      'POST /containers/*/start',
      500,
      'executable file `x` not found in $PATH',
      { kind: 'validation', code: 'CONTAINER_START', retryable: false },
    ],
    [
      'POST /containers/*/wait',
      404,
      'no such container',
      { kind: 'connection', code: 'CONTAINER_LOST', retryable: true },
    ],
    ['GET /containers/json', 401, 'who are you', { kind: 'auth', code: 'ENGINE_DENIED', retryable: false }],
  ])('%s: %i', async (route, status, message, expected) => {
    engine.answers[route] = () => ({ status, json: { message } });
    const { error } = await run(tool, { image: 'x' });
    expect(error).toMatchObject(expected);
    expect(error!.message).toContain(message);
    expect(engine.containers.size).toBe(0);
  });

  test('one that is not there', async () => {
    process.env['DOCKER_HOST'] = 'unix:///nowhere/engine.sock';
    expect((await run(tool, { image: 'x' })).error).toMatchObject({
      kind: 'connection',
      code: 'ENGINE_UNREACHABLE',
      retryable: true,
      message: 'container: the engine at /nowhere/engine.sock cannot be reached (ENOENT)',
    });
  });

  test('one that is not where it usually is: its path is named', async () => {
    // As without DOCKER_HOST: the client looks for a socket in two places.
    process.env['DOCKER_HOST'] = 'unix://';
    const client = await dockerEngine();
    expect(await engineAddress(client)).toMatch(/^\/.*docker\.sock$/);
    expect(await engineAddress(new Docker({ host: 'example.test', port: 2375 }))).toBe('example.test:2375');
  });
});

test.each([
  [{}, 'container: a container needs an image'],
  [{ image: 'x', args: 'a b' }, 'container: args must be a list, not a string'],
  [{ image: 'x', mounts: ['/a'] }, 'container: mounts[0] is not a mount'],
  [
    { image: 'x', limits: { memory: '1g' } },
    "container: limits are cpus, memory_mb and pids; there is no 'memory'",
  ],
  [{ image: 'x', limits: { cpus: 'two' } }, 'container: limits.cpus must be a number above 0, not "two"'],
  [{ image: 'x', pull: 'sometimes' }, "container: pull is one of missing, always, never, not 'sometimes'"],
  [{ image: 'x', runtime: 'lxc' }, "container: runtime 'lxc' is not one of docker"],
])('fields that make no sense: %j', async (config, message) => {
  const { error } = await run(tool, config as JsonObject);
  expect(error).toMatchObject({ kind: 'validation', code: 'INVALID_INPUT' });
  expect(error!.message).toContain(message);
  expect(engine.requests).toEqual([]);
});

test('a script in a container: its file is there before it starts, its interpreter runs it', async () => {
  let archive: Buffer | undefined;
  const seen = created();
  engine.answers['PUT /containers/*/archive'] = ({ body }) => void (archive = body) as undefined;
  engine.ends = { stdout: '[1]', code: 0 };
  const outcome = await run(script, {
    code: 'print([1])',
    interpreter: ['python3', '-S'],
    args: ['a'],
    container: { image: 'python:3', limits: { pids: 5 } },
    env: { A: 1 },
  });
  expect(outcome.result).toMatchObject({ data: [1], exit_code: 0 });
  expect(seen[0]).toMatchObject({
    Image: 'python:3',
    Entrypoint: ['python3', '-S', '/noetl/script', 'a'],
    Cmd: [],
  });
  expect(seen[0]!['Env']).toContain('A=1');
  expect(await unpacked(archive!)).toEqual([{ name: 'noetl/script', mode: 0o755, text: 'print([1])' }]);
});
