/**
 * Every command of the build does what it is for, once: users run the build, most tests the sources. Nightly each in a
 * process of its own; else all in one, which takes a tenth of the time. A command that is not in the table fails the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { leavesOf } from '../../src/cli/examples';
import { program } from '../../src/cli/program';
import { freePort } from '../../src/temporal/client';
import { CLI, type Finished, noetl, ROOT, type Running, start } from '../support/process';
import { isNightly } from '../support/sampled';
import { until } from '../support/until';

const HELLO = path.join(ROOT, 'playbooks/hello_world.yaml');
const HISTORY = path.join(ROOT, 'test/histories/0.1.0/hello_world.json');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-commands-'));
const file = (name: string, content?: string): string => {
  const where = path.join(folder, name);
  if (content !== undefined) fs.writeFileSync(where, content);
  return where;
};
const env = {
  NOETL_DATA_DIR: path.join(folder, 'data'),
  TEMPORAL_ADDRESS: '',
  NOETL_FACADE_URL: '',
  DATABASE_URL: '',
};
const WAITS = file(
  'waits.yaml',
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: waits, path: smoke/waits}
workload: {n: 1}
workflow:
- step: start
  tool: {kind: wait, event: go}
  set: {ctx.seen: 1}
`,
);
const QUEUE = file(
  'queue.yaml',
  `kind: Subscription
metadata: {path: smoke/queue}
spec: {source: postgres, auth: pg_local, table: nothing, dispatch: {playbook: smoke/waits, workload: {n: "{{ message.body.n }}"}}}
`,
);
const TARGETS = file('targets.yaml', 'targets: {team: {chat: c}}\n');
const SECRET = file('secret.json', '{"token": "t"}');

let dev: Running;
let server: string;
/** Of Temporal, its UI and Postgres. */
let others: readonly number[];
/** By name: executions and other things that a command made for later ones. */
const made: Record<string, string> = {};

beforeAll(async () => {
  const port = await freePort();
  others = [await freePort(), await freePort(), await freePort()];
  server = `http://127.0.0.1:${port}`;
  const ports = [
    '--port',
    String(port),
    ...['temporal', 'ui', 'postgres'].flatMap((name, n) => [`--${name}-port`, String(others[n])]),
  ];
  dev = start(process.execPath, [CLI, 'dev', ...ports], env, folder);
  await dev.says('Ctrl-C stops everything', 120_000);
}, 150_000);
afterAll(async () => {
  runner?.kill('SIGKILL');
  dev.child.kill('SIGINT');
  await dev.finished;
  fs.rmSync(folder, { recursive: true, force: true });
});

test('`dev` serves on the ports that it was told, and on no other', async () => {
  const [temporal, ui, postgres] = others;
  expect(dev.output()).toMatch(new RegExp(`Temporal\\S* +127\\.0\\.0\\.1:${temporal} `));
  expect(dev.output()).toContain(`http://127.0.0.1:${ui}/`);
  expect(dev.output()).toMatch(new RegExp(`@127\\.0\\.0\\.1:${postgres}/`));
  const data = path.join(folder, 'other');
  const taken = await noetl(['dev', '--data', data, '--port', '0', '--temporal-port', String(postgres)], env);
  expect(taken).toMatchObject({ code: 1 });
  expect(taken.stderr).toContain(`--temporal-port ${postgres} is not to be had`);
});

interface Action {
  readonly args: (at: readonly string[]) => readonly string[];
  /** What it prints, on either stream. */
  readonly says: RegExp;
  readonly code?: number;
  readonly keeps?: (printed: Pick<Finished, 'stdout'>) => void;
}
const does = (says: RegExp, ...args: string[]): Action => ({ says, args: () => args });
/** @param args after the server, once the test runs */
const asks = (says: RegExp, args: () => readonly string[] = () => []): Action => ({
  says,
  args: () => ['--server', server, ...args()],
});
const at = (name: string) => (): string[] => [made[name]!];

/** Starts an execution of the playbook that waits. */
async function waiting(): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: '{"path": "smoke/waits"}' };
  const answer = await fetch(`${server}/api/execute`, sent);
  return ((await answer.json()) as { execution_id: string }).execution_id;
}

/** In this order. */
const ACTIONS: Readonly<Record<string, Action>> = {
  init: does(/Next[^]*run playbooks\/hello\.yaml/, path.join(folder, 'project')),
  validate: does(/^✓ .*hello_world\.yaml/, HELLO),
  compile: does(/"planVersion"/, HELLO),
  test: does(/passed/, path.join(ROOT, 'playbooks/hello_world.rehearsal.yaml')),
  graph: does(/flowchart TD/, HELLO),
  render: does(/\{"value":2\}/, '{{ 1 + 1 }}'),
  upgrade: does(/nothing to rewrite/, HELLO),
  schema: does(/"\$schema"/),
  // An editor that ends without a goodbye.
  lsp: { ...does(/^$/), code: 1 },
  mcp: does(/tools for assistants/),
  check: does(/3 states, bound/, '--deep', HELLO),
  simulate: does(/no fault found/, HELLO, '--seeds', '3'),
  coverage: does(/3 of 3 steps/, HELLO),
  explain: does(/completed/, HISTORY),
  view: does(/41 events/, HISTORY, '--html', file('view.html')),
  diff: does(/They did the same/, HISTORY, HISTORY),
  replay: does(/this release follows the history/, HISTORY),
  whatif: { ...does(/call greet\/greet_task makes another request/, HISTORY, '--set', 'name=Ada'), code: 1 },
  verify: does(/1 +same/, HELLO, HELLO, HISTORY),
  events: does(/workflow/, HISTORY),
  doctor: does(/Node/),
  help: does(/Usage/),
  completion: does(/noetl-temporal/, 'bash'),

  'tokens create': does(
    /noetl_/,
    'smoke',
    '--scopes',
    'worker',
    '--kinds',
    'http',
    '--pools',
    'eu',
    '--paths',
    'a/*',
  ),
  'tokens list': does(/smoke +worker; kinds http; pools eu; paths a\/\*/),
  'tokens revoke': does(/revoked/, 'smoke'),
  'credentials add': does(
    /stored "smoke"/,
    'smoke',
    '--type',
    'bearer',
    '--values',
    `@${SECRET}`,
    '--paths',
    'a/*',
  ),
  'credentials list': does(/smoke +bearer/),
  'credentials get': does(/"token": "t"/, 'smoke', '--show'),
  'credentials audit': does(/read +smoke/),
  'credentials rotate': does(/encrypted with the key/),
  'credentials test': asks(/"smoke" connects/, () => ['smoke', '--url', `${server}/api/health`]),
  'credentials remove': does(/removed "smoke"/, 'smoke'),

  register: asks(/smoke\/waits/, () => [WAITS, QUEUE]),
  run: asks(/Hello, World!/, () => [HELLO]),
  list: {
    ...asks(/hello_world/, () => ['executions', '--json']),
    keeps: ({ stdout }) => {
      made['hello'] = /"execution_id": "(\d+)"/.exec(stdout)![1]!;
    },
  },
  now: { ...asks(/runs +.*completed/), code: 0 },
  status: asks(/waits for event go/, at('smoke/waits')),
  logs: asks(/Hello, World!/, at('hello')),
  'vars set': asks(/set x/, () => [made['smoke/waits']!, 'x=1']),
  'vars list': asks(/x = 1/, at('smoke/waits')),
  'vars delete': asks(/deleted x/, () => [made['smoke/waits']!, 'x']),
  pause: asks(/pausing/, at('smoke/waits')),
  resume: asks(/resuming/, at('smoke/waits')),
  answer: asks(/asks nothing of people/, at('smoke/waits')),
  event: asks(/was taken by a wait/, () => [made['smoke/waits']!, 'go']),
  rerun: asks(/Hello, World!/, () => [made['hello']!, '--from', 'greet']),
  cancel: asks(/1 done/, () => ['--where', 'path=smoke/waits', '--yes']),
  'bulk list': {
    ...asks(/cancel/, () => ['--json']),
    keeps: ({ stdout }) => void (made['bulk'] = (/"bulk_id": "([^"]+)"/.exec(stdout) ?? [])[1]!),
  },
  'bulk show': asks(/cancel/, at('bulk')),
  'bulk cancel': { ...asks(/has ended \(completed\)/, at('bulk')), code: 2 },
  'bulk resume': { ...asks(/has ended \(completed\)/, at('bulk')), code: 2 },

  'schedule create': asks(/nightly/, () => ['nightly', 'smoke/waits', '--cron', '0 0 1 1 *']),
  'schedule change': asks(/changed/, () => ['nightly', '--cron', '0 0 2 1 *']),
  'schedule list': asks(/nightly/),
  'schedule describe': asks(/nightly/, () => ['nightly']),
  'schedule pause': asks(/paused/, () => ['nightly']),
  'schedule unpause': asks(/unpaused/, () => ['nightly']),
  'schedule trigger': asks(/triggered/, () => ['nightly']),
  'schedule backfill': asks(/backfills/, () => [
    'nightly',
    '--from',
    '2026-01-01T00:00:00Z',
    '--to',
    '2026-01-02T00:00:00Z',
    '--yes',
  ]),
  'schedule delete': asks(/deleted/, () => ['nightly']),

  'trigger test': asks(/"outcome": "started"/, () => ['smoke/queue', '--body', '{"n": 1}']),
  'trigger list': asks(/smoke\/queue +postgres +REGISTERED/),
  'trigger activate': asks(/is active/, () => ['smoke/queue']),
  'trigger pause': asks(/is paused/, () => ['smoke/queue']),
  'trigger resume': asks(/is active/, () => ['smoke/queue']),
  'trigger describe': asks(/last_event_type +subscription.resumed/, () => ['smoke/queue']),
  'trigger dead': asks(/no dead letters/, () => ['smoke/queue']),
  'trigger replay': asks(/started: 0/, () => ['smoke/queue', '--all']),
  'trigger drop': asks(/ids: 0/, () => ['smoke/queue', '--all']),
  'trigger drain': asks(/is draining/, () => ['smoke/queue']),
  'trigger deactivate': asks(/is deactivated/, () => ['smoke/queue']),

  'notifications list': asks(/no notifications/),
  'notifications targets': does(/chat: team/, '--notifications', TARGETS),
  'notifications silence': asks(/is silenced until/, () => ['etl/*', '--for', '2h']),
  'notifications silences': asks(/etl\/\*/),
  'notifications retry': asks(/0 notifications/, () => ['--dead']),

  promote: { ...asks(/no version of smoke\/waits is staged/, () => ['smoke/waits', '--yes']), code: 2 },
  unstage: { ...asks(/no version of smoke\/waits is staged/, () => ['smoke/waits']), code: 2 },
  'cache list': asks(/nothing is cached/),
  'cache clear': asks(/cleared 0/),
  'storage gc': does(/would delete 0 values/, '--dry-run'),
  'storage expire': does(/would remove 0 executions/, '--retention', '30d', '--dry-run'),
  project: does(/projecting namespace default/, '--once'),

  // These serve: what is wrong with their settings is said before they do.
  serve: { ...does(/--no-auth/, '--no-auth', '--host', '0.0.0.0'), code: 2 },
  triggers: { ...does(/storage/, '--storage', 'nonsense://x'), code: 2 },
  worker: { ...does(/unknown kind: fax/, '--kinds', 'fax', '--storage', 'none'), code: 2 },
  dev: { ...does(/already using the data folder/, '--port', '0'), code: 1 },
};

test('the table has every command', () => {
  expect(Object.keys(ACTIONS).sort()).toEqual(
    leavesOf(program())
      .map(([leaf]) => leaf)
      .sort(),
  );
});

test('the build says how each command is used', async () => {
  const leaves = leavesOf(program())
    .map(([leaf]) => leaf)
    .filter((leaf) => leaf !== 'help');
  const script = `
    const { program } = require(${JSON.stringify(path.join(ROOT, 'dist/src/cli/program.js'))});
    (async () => {
      for (const leaf of ${JSON.stringify(leaves)}) {
        const root = program();
        const quiet = (one) => { one.exitOverride(); one.commands.forEach(quiet); };
        quiet(root);
        await root.parseAsync([...leaf.split(' '), '--help'], { from: 'user' }).catch((error) => {
          if (error.code !== 'commander.helpDisplayed') throw error;
        });
      }
    })();`;
  const { code, stdout } = await start(process.execPath, ['-e', script], env).finished;
  expect(code).toBe(0);
  for (const leaf of leaves) expect(stdout).toContain(`Usage: noetl-temporal ${leaf}`);
});

test('import() finds in the build what the sources export', async () => {
  const script = `
    import fs from 'node:fs';
    import path from 'node:path';
    import { createRequire } from 'node:module';
    const root = ${JSON.stringify(path.join(ROOT, 'dist'))};
    const require = createRequire(root + '/x.js');
    const lost = [];
    let seen = 0;
    for (const name of fs.readdirSync(root, { recursive: true })) {
      if (!name.endsWith('.js') || /^(console|\\.)/.test(name)) continue;
      const code = fs.readFileSync(path.join(root, name), 'utf8');
      for (const [, from] of code.matchAll(/import\\(["'](\\.[^"']+)["']\\)/g)) {
        seen += 1;
        const target = path.resolve(root, path.dirname(name), from);
        const names = Object.keys(await import(target));
        lost.push(...Object.keys(require(target)).filter((key) => !names.includes(key)).map((key) => name + ': ' + key));
      }
    }
    console.log(JSON.stringify({ seen, lost }));
    process.exit(0);`;
  const { stdout } = await start(process.execPath, ['--input-type=module', '-e', script], env).finished;
  const { seen, lost } = JSON.parse(stdout) as { seen: number; lost: string[] };
  expect(seen).toBeGreaterThan(40);
  expect(lost).toEqual([]);
});

/** They end their process themselves, or serve in it. */
const ALONE = ['dev', 'lsp', 'mcp', 'serve', 'triggers', 'worker'];
let runner: ChildProcess | undefined;

/** Runs commands of the build one after the other, as test/support/program.ts does those of the sources. */
const RUNNER = `
  const { execute } = require(${JSON.stringify(path.join(ROOT, 'dist/src/cli/execute.js'))});
  process.on('message', async (args) => {
    const printed = { stdout: '', stderr: '' };
    const own = {};
    for (const stream of ['stdout', 'stderr']) {
      own[stream] = process[stream].write;
      process[stream].write = (chunk, ...rest) => {
        printed[stream] += String(chunk);
        if (typeof rest.at(-1) === 'function') rest.at(-1)();
        return true;
      };
    }
    process.exitCode = 0;
    const code = await execute(args);
    for (const stream in own) process[stream].write = own[stream];
    process.send({ code, ...printed });
  });`;

async function runInOne(args: string[]): Promise<Pick<Finished, 'code' | 'stdout' | 'stderr'>> {
  runner ??= spawn(process.execPath, ['-e', RUNNER], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const answer = once(runner, 'message');
  const end = once(runner, 'exit').then(() => Promise.reject(new Error(`it ended at ${args.join(' ')}`)));
  end.catch(() => undefined);
  runner.send(args);
  return ((await Promise.race([answer, end])) as [Finished])[0];
}

test.each(Object.keys(ACTIONS))('%s', async (leaf) => {
  if (leaf === 'status') {
    const id = await waiting();
    await until(async () => {
      const answer = await fetch(`${server}/api/executions/${id}/waits`);
      return ((await answer.json()) as { waits: unknown[] }).waits.length > 0;
    });
    made['smoke/waits'] = id;
  }
  if (leaf === 'cancel') await waiting();
  const { args, says, code = 0, keeps } = ACTIONS[leaf]!;
  const given = [...leaf.split(' '), ...args([])];
  const printed = await (isNightly || ALONE.includes(leaf) ? noetl(given, env) : runInOne(given));
  const said = printed.stdout + printed.stderr;
  expect({ leaf, code: printed.code, said }).toEqual({
    leaf,
    code,
    said: expect.stringMatching(says) as string,
  });
  keeps?.(printed);
});
