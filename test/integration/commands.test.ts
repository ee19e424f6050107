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
import { commandTable } from '../support/command-table';
import { type JsonShape, printedJson, shapeBreaks, shapeOf } from '../support/json-shape';
import { CLI, type Finished, noetl, ROOT, type Running, start } from '../support/process';
import { isNightly } from '../support/sampled';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-commands-'));
const env = {
  NOETL_DATA_DIR: path.join(folder, 'data'),
  TEMPORAL_ADDRESS: '',
  NOETL_FACADE_URL: '',
  DATABASE_URL: '',
};
let dev: Running;
let server: string;
/** Of Temporal, its UI and Postgres. */
let others: readonly number[];
const place = { folder, server: () => server };
const ACTIONS = commandTable({ ...place, name: 'smoke' });

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
  const { args, says, code = 0, before, keeps } = ACTIONS[leaf]!;
  await before?.();
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

describe('for scripts', () => {
  const RECORD = path.join(ROOT, 'test/releases/next/documents.json');
  /** They find what has ended already, which is an error, without a document. */
  const REFUSED = ['bulk cancel', 'bulk resume'];
  const again = commandTable({ ...place, name: 'scripts' });
  const printing = leavesOf(program()).flatMap(([leaf, { options }]): [string, string[]][] => {
    if (REFUSED.includes(leaf)) return [];
    if (options.some(({ long }) => long === '--json')) return [[leaf, ['--json']]];
    const format = options.find(({ long }) => long === '--format');
    const choices = format?.argChoices ?? format?.description.split(', ') ?? [];
    return choices.includes('json') ? [[leaf, ['--format', 'json']]] : [];
  });
  const documents: Record<string, JsonShape> = {};

  test.each(Object.keys(again).flatMap((leaf) => printing.filter(([one]) => one === leaf)))(
    '%s prints a document',
    async (leaf, flags) => {
      const { args, before, keeps } = again[leaf]!;
      await before?.();
      const printed = await runInOne([...leaf.split(' '), ...args([]), ...flags]);
      documents[leaf] = shapeOf(printedJson(printed.stdout));
      keeps?.(printed);
    },
  );

  // UPDATE_REFERENCE=1 records them.
  test('the documents have the fields that are recorded', () => {
    expect(Object.keys(documents).sort()).toEqual(printing.map(([leaf]) => leaf).sort());
    if (process.env['UPDATE_REFERENCE'] === '1')
      fs.writeFileSync(RECORD, `${JSON.stringify(documents, null, 2)}\n`);
    const recorded = JSON.parse(fs.readFileSync(RECORD, 'utf8')) as Record<string, JsonShape>;
    expect(Object.keys(recorded).sort()).toEqual(Object.keys(documents).sort());
    expect(shapeBreaks(recorded, documents)).toEqual([]);
  });
});
