/**
 * `.github/actions/check` and `.pre-commit-hooks.yaml`, in a repository that `init` made: their steps, run as GitHub's runner and pre-commit
 * run them.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { runProgram } from '../../src/temporal/client';
import { CLI, noetl, ROOT } from '../support/process';

const ACTION = path.join(ROOT, '.github/actions/check');
const PLAYBOOK = 'playbooks/hello.yaml';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly name: string;
      readonly if?: string;
      readonly run: string;
      readonly env: Readonly<Record<string, string>>;
    }[];
  };
}

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly args: readonly string[];
}

const action = parse(fs.readFileSync(path.join(ACTION, 'action.yml'), 'utf8')) as Action;
let folder: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
const write = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text);
const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');

let sound: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-action-'));
  await noetl(['init', folder]);
  fs.mkdirSync(path.join(folder, 'histories'));
  // A run of a playbook with this path.
  const history = fs.readFileSync(path.join(ROOT, 'test/histories/v1/hello_world.json'), 'utf8');
  write('histories/run.json', history);
  write('playbooks/example.yaml', fs.readFileSync(path.join(ROOT, 'playbooks/hello_world.yaml'), 'utf8'));
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  sound = read(PLAYBOOK);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Step {
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs the steps as bash scripts, those with conditions too, since no step is cancelled. */
async function check(given: Readonly<Record<string, string>> = {}): Promise<Record<string, Step>> {
  const output = path.join(folder, '.git/output');
  fs.writeFileSync(output, '');
  const inputs: Record<string, string> = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
    ...{ command: `${process.execPath} ${CLI}`, base: 'HEAD', ...given },
  };
  const value = (text: string): string =>
    text
      .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? fail(name))
      .replace(
        '${{ steps.install.outputs.command }}',
        fs.readFileSync(output, 'utf8').replace(/^command=|\n$/g, ''),
      );
  const steps: Record<string, Step> = {};
  for (const { name, run, env, if: condition } of action.runs.steps) {
    if (condition?.includes('inputs.histories') && inputs['histories'] === '' && inputs['against'] === '')
      continue;
    const values = Object.fromEntries(Object.entries(env).map(([key, text]) => [key, value(text)]));
    steps[name] = await runProgram('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
      timeoutMs: 60_000,
      cwd: folder,
      env: {
        ...process.env,
        ...{ GITHUB_ACTION_PATH: ACTION, GITHUB_OUTPUT: output, GITHUB_WORKSPACE: folder, ...values },
      },
    });
  }
  return steps;
}

function fail(name: string): never {
  throw new Error(`there is no input ${name}`);
}

const codes = (steps: Record<string, Step>): object =>
  Object.fromEntries(Object.entries(steps).map(([name, { code }]) => [name, code]));

test('what `init` made passes', async () => {
  fs.rmSync(path.join(folder, 'playbooks/example.yaml'));
  const steps = await check({ 'at-least': '80' });
  expect(codes(steps)).toEqual({ 'Install noetl-temporal': 0, Validate: 0, Rehearse: 0, Coverage: 0 });
  expect(steps['Coverage']!.stdout).toMatch(
    /^::warning file=playbooks\/hello\.yaml,line=\d+.*::No run touches failure/,
  );
  git('checkout', '--', 'playbooks');
});

test('what is wrong is an annotation of the step that finds it', async () => {
  write(PLAYBOOK, sound.replace('- step: nobody\n', '- step: nobdy\n'));
  const { Validate } = await check();
  expect(Validate).toMatchObject({ code: 2 });
  expect(Validate!.stdout).toMatch(
    /^::error file=playbooks\/hello\.yaml,line=\d+,[^\n]*title=NT3003::.*Fix%3A |Fix: /,
  );

  write(PLAYBOOK, sound.replace("'fr': 'Bonjour'", "'fr': 'Salut'"));
  const example = read('playbooks/example.yaml');
  write('playbooks/example.yaml', example.replace("'en': 'Hello'", "'en': 'Hi'"));
  const steps = await check({ 'at-least': '90', histories: 'histories', playbooks: 'playbooks\n' });
  expect(codes(steps)).toMatchObject({ Validate: 0, Rehearse: 1, Coverage: 1, Verify: 1 });
  expect(steps['Rehearse']!.stdout).toContain('::error file=playbooks/hello.rehearsal.yaml,line=');
  expect(steps['Coverage']!.stdout).toContain('::error file=playbooks/example.yaml,line=1,');
  expect(steps['Verify']!.stdout).toMatch(/::error file=playbooks\/example\.yaml,line=\d+,/);
  const first = await check({ histories: 'histories', base: '0'.repeat(40) });
  expect(first['Verify']).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nothing is verified') as string,
  });
});

test('hooks of pre-commit: each names a command with folders that it takes', async () => {
  git('checkout', '--', '.');
  const hooks = parse(fs.readFileSync(path.join(ROOT, '.pre-commit-hooks.yaml'), 'utf8')) as Hook[];
  const { bin } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { bin: object };
  const page = fs.readFileSync(path.join(ROOT, 'docs/projects.md'), 'utf8');
  const results: Record<string, number | null> = {};
  for (const { id, entry, args } of hooks) {
    const [program, ...words] = entry.split(' ');
    expect(Object.keys(bin)).toEqual([program]);
    const run = ['-c', `cd ${folder} && exec "$@"`, 'bash', process.execPath, CLI, ...words, ...args];
    results[id] = (await runProgram('bash', run, { timeoutMs: 60_000 })).code;
    expect(page).toContain(`| \`${id}\` | \`${words.join(' ')}\` | \`${args.join(' ')}\` |`);
  }
  // example.yaml has no rehearsal.
  expect(results).toEqual({ 'noetl-validate': 0, 'noetl-test': 0, 'noetl-coverage': 1, 'noetl-verify': 0 });
});
