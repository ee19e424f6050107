/** `--format github`: what GitHub's runner reads, as it documents it, of every command that checks playbooks. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inProcess, type Printed } from '../../../test/support/program';

const ROOT = path.resolve(__dirname, '../../..');
const HISTORIES = path.join(ROOT, 'test/histories/v1');

interface Read {
  readonly level: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** As actions/runner reads a line: ActionCommand.TryParseV2, and its unescaping. */
function read({ stdout }: Printed): Read[] {
  const plain = (text: string): string =>
    text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  return stdout.split('\n').flatMap((line) => {
    const [, level, properties, message] = /^::(\w+) ([^]*?)::([^]*)$/.exec(line) ?? [];
    if (level === undefined) return [];
    const pairs = properties!.split(',').map((pair) => {
      const at = pair.indexOf('=');
      const value = pair
        .slice(at + 1)
        .replaceAll('%3A', ':')
        .replaceAll('%2C', ',');
      return [pair.slice(0, at), plain(value)] as const;
    });
    return [{ level, properties: Object.fromEntries(pairs), message: plain(message!) }];
  });
}

let folder: string;
beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-annotations-')));
  process.chdir(folder);
  fs.mkdirSync('my playbooks');
});
afterAll(() => {
  process.chdir(ROOT);
  fs.rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): void => fs.writeFileSync(path.join('my playbooks', name), text);
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: a, path: a}
workload: {n: 1}
workflow:
- step: start
  tool: {kind: noop, input: {n: "{{ workload.n }}"}}
  next:
    arcs:
    - {step: big, when: "{{ start.n > 5 }}"}
    - {step: end}
- {step: big, tool: {kind: noop}}
- {step: end, tool: {kind: noop}}
`;

test('validate: place, code, what is wrong and the fix; escaped, from the root of the repository', async () => {
  write('a,b: 100%.yaml', PLAYBOOK.replace('step: big, when', 'step: bgi, when'));
  const printed = await inProcess(['validate', 'my playbooks', '--format', 'github'], {
    GITHUB_WORKSPACE: path.dirname(folder),
  });
  expect(printed.code).toBe(2);
  const [error] = read(printed).filter(({ level }) => level === 'error');
  expect(error).toMatchObject({
    properties: { line: '10', endLine: '10', title: 'NT3003', col: expect.stringMatching(/^\d+$/) as string },
  });
  expect(error!.properties['file']).toBe(`${path.basename(folder)}/my playbooks/a,b: 100%.yaml`);
  expect(error!.message).toMatch(/bgi[^]*did you mean `big`[^]*\nFix: .*big/);
  expect(printed.stdout).toMatch(/\n1 file, \d+ findings?\n$/);
  fs.rmSync('my playbooks/a,b: 100%.yaml');
});

test('test: one for each rehearsal that fails, where it expects; files with errors too', async () => {
  write('a.yaml', PLAYBOOK);
  write(
    'a.rehearsal.yaml',
    `playbook: ./a.yaml
rehearsals:
- {name: passes, expect: {steps: [start, end]}}
- name: "fails: 100%"
  expect:
    steps: [start, big]
`,
  );
  write('b.rehearsal.yaml', 'playbook: ./a.yaml\nexpct: {}\n');
  const printed = await inProcess(['test', 'my playbooks', '--format', 'github']);
  expect(printed.code).toBe(2);
  expect(read(printed)).toMatchObject([
    {
      level: 'error',
      properties: { file: 'my playbooks/a.rehearsal.yaml', line: '6', title: 'Rehearsal: fails: 100%' },
      message: expect.stringContaining('steps: ') as string,
    },
    { level: 'error', properties: { file: 'my playbooks/b.rehearsal.yaml', line: '2' } },
  ]);
  expect(printed.stdout).toContain('\n1 passed, 1 failed, 1 file with errors\n');
  for (const name of ['a', 'b']) fs.rmSync(`my playbooks/${name}.rehearsal.yaml`);
});

test('coverage: what nothing touches, and where it is not enough; a folder, and playbooks without rehearsals', async () => {
  write('a.yaml', PLAYBOOK);
  write('a.rehearsal.yaml', 'playbook: ./a.yaml\nexpect: {steps: [start, end]}\n');
  write('b.yaml', PLAYBOOK.replace('path: a', 'path: b'));
  const args = ['coverage', 'my playbooks', '--format', 'github'];
  const printed = await inProcess(args);
  expect(printed.code).toBe(0);
  expect(read(printed)).toMatchObject([
    { level: 'warning', properties: { line: '10' }, message: expect.stringContaining('arc start') as string },
    { level: 'warning', properties: { line: '12', title: 'Not covered' } },
    {
      properties: { file: 'my playbooks/b.yaml' },
      message: expect.stringContaining('test --init') as string,
    },
  ]);
  const failed = await inProcess([...args, '--at-least', '61']);
  expect(failed.code).toBe(1);
  expect(read(failed).filter(({ level }) => level === 'error')).toMatchObject([
    {
      message: expect.stringContaining(
        '60 % of my playbooks/a.yaml is touched, and --at-least says 61 %',
      ) as string,
    },
    { message: expect.stringContaining('0 % of my playbooks/b.yaml') as string },
  ]);
  expect((await inProcess(['coverage', 'my playbooks/a.yaml', '--at-least', '60'])).code).toBe(0);
  const { stdout } = await inProcess(['coverage', 'my playbooks', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { playbook: 'a', runs: 1 },
    { playbook: 'b', runs: 0 },
  ]);
  for (const name of ['a.rehearsal', 'a', 'b']) fs.rmSync(`my playbooks/${name}.yaml`);
});

describe('verify of a commit and a folder', () => {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    });
  const example = (name: string): string => fs.readFileSync(path.join(ROOT, 'playbooks', name), 'utf8');
  const verify = (...args: string[]): Promise<Printed> =>
    inProcess(['verify', 'HEAD', 'my playbooks', 'histories', ...args]);

  beforeAll(() => {
    git('init', '--quiet');
    fs.mkdirSync('histories');
    for (const name of ['hello_world', 'error_path_failed', 'error_path_rescued'])
      fs.copyFileSync(path.join(HISTORIES, `${name}.json`), `histories/${name}.json`);
    for (const name of ['hello_world.yaml', 'error_path.yaml', 'approval.yaml']) write(name, example(name));
    git('add', '.');
    git('commit', '--quiet', '-m', 'first');
  });

  it('nothing changed: nothing is said to be wrong', async () => {
    expect(await verify()).toMatchObject({ code: 0, stdout: 'no playbook changed\n' });
  });

  it('each that changed or moved, against its own executions only', async () => {
    write('hello_world.yaml', example('hello_world.yaml').replace("{'en': 'Hello'", "{'en': 'Hi'"));
    git('mv', 'my playbooks/error_path.yaml', 'my playbooks/moved.yaml');
    write('moved.yaml', `${example('error_path.yaml')}# changed\n`);
    write('approval.yaml', `${example('approval.yaml')}# changed\n`);
    const printed = await verify('--json');
    expect(printed.code).toBe(1);
    expect(JSON.parse(printed.stdout)).toMatchObject([
      { new: 'my playbooks/approval.yaml', executions: 0, ok: true },
      { new: 'my playbooks/hello_world.yaml', executions: 1, ok: false },
      { old: 'HEAD:my playbooks/error_path.yaml', new: 'my playbooks/moved.yaml', executions: 2, ok: true },
    ]);
    const annotations = read(await verify('--format', 'github'));
    expect(annotations.filter(({ level }) => level === 'error')).toMatchObject([
      {
        properties: { file: 'my playbooks/hello_world.yaml', line: expect.stringMatching(/^\d+$/) as string },
        message: expect.stringMatching(/^1 × [^]*recorded "Hello"\nnow "Hi"\n/) as string,
      },
    ]);
    write('hello_world.yaml', example('hello_world.yaml'));
    expect((await verify()).code).toBe(0);
    expect((await verify('--strict')).code).toBe(1);
  });

  it.each([
    ['nowhere', 'my playbooks', /^error: nowhere: .*git fetch origin nowhere/],
    ['HEAD', os.tmpdir(), /^error: \S+ is in no git repository, .*verify OLD\.yaml NEW\.yaml/],
    ['--output=x', 'my playbooks', /^error: /],
  ])('%s is no commit: one line, exit code 2', async (commit, where, line) => {
    const { code, stderr } = await inProcess(['verify', '--', commit, where, 'histories']);
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).toMatch(line);
    expect(fs.existsSync('x')).toBe(false);
  });
});
