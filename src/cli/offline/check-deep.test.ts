/** `check --deep`: its formats, its exit codes, and rehearsals that pass. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inProcess, type Printed } from '../../../test/support/program';

const SOUND = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: sound, path: test/sound }
workflow:
  - step: start
    tool: { kind: http, url: "https://example.com" }
    next: { arcs: [{ step: wait }] }
  - step: wait
    tool: { kind: wait, event: go, timeout: 60 }
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop }
`;

let folder: string;
let before: string;
beforeAll(() => {
  before = process.cwd();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-deep-'));
  fs.writeFileSync(path.join(folder, 'sound.yaml'), SOUND);
  fs.writeFileSync(path.join(folder, 'waits.yaml'), SOUND.replace(', timeout: 60', ''));
  const faulty = SOUND.replace('{ step: end }]', '{ step: start }]');
  fs.writeFileSync(path.join(folder, 'faulty.yaml'), faulty);
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  fs.rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<Printed> => inProcess(args);

test('text: what, where, how one comes there, and what was assumed', async () => {
  const sound = await run('check', '--deep', 'sound.yaml');
  expect(sound).toMatchObject({ code: 0 });
  expect(sound.stdout).toMatch(/^✓ sound\.yaml: \d+ states, bound 2\n {2}assumed: the payload/);
  const { stdout: text, code } = await run('check', '--deep', 'waits.yaml');
  expect(code).toBe(1);
  expect(text).toContain(
    "waits.yaml:8:11 warning WAITS_FOR_OUTSIDE step wait waits without a time limit for event 'go'",
  );
  expect(text).toContain('- step: wait');
  expect(text).toContain('when: start/start_task answers');
  expect(await run('check', '--deep', 'waits.yaml', '--sent', 'go')).toMatchObject({ code: 0 });
});

test('JSON and SARIF', async () => {
  const json = await run('check', '--deep', 'faulty.yaml', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    files: [
      {
        file: 'faulty.yaml',
        bound: 2,
        complete: true,
        findings: [{ code: 'CYCLE_WITHOUT_EXIT', line: 5 }, { code: 'END_NEVER_REACHED' }],
      },
    ],
  });
  const sarif = await run('check', '--deep', 'faulty.yaml', '--sarif');
  const [log] = (JSON.parse(sarif.stdout) as { runs: { results: object[] }[] }).runs;
  expect(log!.results[0]).toMatchObject({
    ruleId: 'CYCLE_WITHOUT_EXIT',
    level: 'error',
    locations: [{ physicalLocation: { artifactLocation: { uri: 'faulty.yaml' }, region: { startLine: 5 } } }],
  });
});

test('a rehearsal for a finding passes', async () => {
  const { stdout: text } = await run('check', '--deep', 'faulty.yaml', '--to-rehearsal', 'found');
  const file = path.join('found', 'faulty.start.cycle_without_exit.rehearsal.yaml');
  expect(text).toContain(`noetl-temporal test ${file}`);
  expect(fs.readFileSync(file, 'utf8')).toContain('playbook: ../faulty.yaml');
  expect(await run('test', file)).toMatchObject({ code: 0 });
  // It asserts the cycle: without it, the rehearsal fails.
  fs.writeFileSync('faulty.yaml', SOUND);
  expect(await run('test', file)).toMatchObject({ code: 1 });
});

test('a race is two rehearsals, which cannot both pass once it is gone', async () => {
  const racing = (key: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: racing, path: test/racing }
workflow:
  - step: start
    tool: { kind: noop }
    next: { spec: { mode: inclusive }, arcs: [{ step: left }, { step: right }] }
  - step: left
    tool: { kind: http, url: "https://example.com/left" }
    set: { ctx.total: "{{ left.id }}" }
    next: { arcs: [{ step: end }] }
  - step: right
    tool: { kind: http, url: "https://example.com/right" }
    set: { ctx.${key}: "{{ right.id }}" }
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop }
`;
  fs.writeFileSync('racing.yaml', racing('total'));
  await run('check', '--deep', 'racing.yaml', '--to-rehearsal', 'found');
  const file = path.join('found', 'racing.left.ctx_race.rehearsal.yaml');
  expect(fs.readFileSync(file, 'utf8')).toContain('left comes last');
  expect(await run('test', file)).toMatchObject({ code: 0 });
  fs.writeFileSync('racing.yaml', racing('other'));
  expect(await run('test', file)).toMatchObject({ code: 1 });
});

test('what is never reached is asserted by a run that bypasses it', async () => {
  const text = (guard: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: dead, path: test/dead }
workflow:
  - step: start
    tool: { kind: http, url: "https://example.com" }
    next: { arcs: [{ step: rare, when: "{{ ${guard} }}" }, { step: end }] }
  - step: rare
    tool: { kind: noop }
  - step: end
    tool: { kind: noop }
`;
  fs.writeFileSync('dead.yaml', text('start.n > 5 and start.n < 3'));
  await run('check', '--deep', 'dead.yaml', '--to-rehearsal', 'found');
  const file = path.join('found', 'dead.start.arc_never_taken.rehearsal.yaml');
  expect(fs.readFileSync(file, 'utf8')).toMatch(/never:\n +- type: next\.selected/);
  expect(await run('test', file)).toMatchObject({ code: 0 });
  fs.writeFileSync('dead.yaml', text('start.n is not defined or true'));
  const { code, stdout } = await run('test', file);
  expect([code, stdout]).toEqual([1, expect.stringContaining('next.selected')]);
});

test('without --deep it validates; a wrong bound is refused', async () => {
  const { stdout: text, code } = await run('check', 'sound.yaml', '--json');
  expect(JSON.parse(text)).toMatchObject({ ok: true });
  expect(code).toBe(0);
  expect(await run('check', '--deep', 'sound.yaml', '--bound', 'many')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--bound many') as string,
  });
});

test('a playbook that does not compile is told, and the others are checked', async () => {
  const many = path.join(folder, 'many');
  fs.mkdirSync(many);
  for (const name of ['a', 'c'])
    fs.writeFileSync(path.join(many, `${name}.yaml`), SOUND.replace('kind: noop', 'kind: nop'));
  fs.writeFileSync(path.join(many, 'b.yaml'), SOUND);
  const text = await run('check', '--deep', many);
  expect(text).toMatchObject({ code: 2, stdout: expect.stringContaining('b.yaml: ') as string });
  for (const name of ['a', 'c']) expect(text.stderr).toMatch(new RegExp(`${name}\\.yaml:12:19: error NT\\d`));
  expect(text.stderr).toMatch(
    /error: 2 playbooks were not checked: \S+a\.yaml: 1 error; \S+c\.yaml: 1 error$/m,
  );
  const json = await run('check', '--deep', many, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    not_checked: [path.join(many, 'a.yaml'), path.join(many, 'c.yaml')],
    files: [{ file: path.join(many, 'b.yaml'), findings: [] }],
  });
});
