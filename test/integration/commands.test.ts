/**
 * Every command of the build does what it is for, once, in a process of its own: users run the build, most tests the
 * sources. A command that is not in the table fails the test.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { leavesOf } from '../../src/cli/examples';
import { program } from '../../src/cli/program';
import { freePort } from '../../src/temporal/client';
import { CLI, type Finished, noetl, ROOT, type Running, start } from '../support/process';

const HELLO = path.join(ROOT, 'playbooks/hello_world.yaml');
const HISTORY = path.join(ROOT, 'test/histories/v1/hello_world.json');
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
const TARGETS = file('targets.yaml', 'targets: {team: {chat: c}}\n');
const SECRET = file('secret.json', '{"token": "t"}');

let dev: Running;
let server: string;
/** By name: executions and other things that a command made for later ones. */
const made: Record<string, string> = {};

beforeAll(async () => {
  const port = await freePort();
  server = `http://127.0.0.1:${port}`;
  dev = start(process.execPath, [CLI, 'dev', '--port', String(port)], env, folder);
  await dev.says('Ctrl-C stops everything', 120_000);
}, 150_000);
afterAll(async () => {
  dev.child.kill('SIGINT');
  await dev.finished;
  fs.rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Action {
  readonly args: (at: readonly string[]) => readonly string[];
  /** What it prints, on either stream. */
  readonly says: RegExp;
  readonly code?: number;
  readonly keeps?: (printed: Finished) => void;
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
  validate: does(/^✓ .*hello_world\.yaml/, HELLO),
  compile: does(/"planVersion"/, HELLO),
  test: does(/passed/, path.join(ROOT, 'playbooks/hello_world.rehearsal.yaml')),
  graph: does(/flowchart TD/, HELLO),
  render: does(/\{"value":2\}/, '{{ 1 + 1 }}'),
  upgrade: does(/nothing to rewrite/, HELLO),
  schema: does(/"\$schema"/),
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
  'credentials remove': does(/removed "smoke"/, 'smoke'),

  register: asks(/smoke\/waits/, () => [WAITS]),
  run: asks(/Hello, World!/, () => [HELLO]),
  list: {
    ...asks(/hello_world/, () => ['executions', '--json']),
    keeps: ({ stdout }) => {
      made['hello'] = /"execution_id": "(\d+)"/.exec(stdout)![1]!;
    },
  },
  status: asks(/waits for event go/, at('smoke/waits')),
  logs: asks(/Hello, World!/, at('hello')),
  'vars set': asks(/set x/, () => [made['smoke/waits']!, 'x=1']),
  'vars list': asks(/x = 1/, at('smoke/waits')),
  'vars delete': asks(/deleted x/, () => [made['smoke/waits']!, 'x']),
  pause: asks(/pausing/, at('smoke/waits')),
  resume: asks(/resuming/, at('smoke/waits')),
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

  'notifications list': asks(/no notifications/),
  'notifications targets': does(/chat: team/, '--notifications', TARGETS),
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
      if (!name.endsWith('.js') || name.startsWith('console')) continue;
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

test.each(Object.keys(ACTIONS))('%s', async (leaf) => {
  if (leaf === 'status') made['smoke/waits'] = await waiting();
  if (leaf === 'cancel') await waiting();
  const { args, says, code = 0, keeps } = ACTIONS[leaf]!;
  const printed = await noetl([...leaf.split(' '), ...args([])], env);
  const said = printed.stdout + printed.stderr;
  expect({ leaf, code: printed.code, said }).toEqual({
    leaf,
    code,
    said: expect.stringMatching(says) as string,
  });
  keeps?.(printed);
});
