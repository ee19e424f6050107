/** docs/proving-a-change.md: its commands run, in order, and print what the page says. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inProcess, type Printed } from '../../test/support/program';

const ROOT = path.resolve(__dirname, '../..');
const page = fs.readFileSync(path.join(ROOT, 'docs/proving-a-change.md'), 'utf8');
const HISTORIES = path.join(ROOT, 'test/histories/v1');

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-proving-'));
  fs.mkdirSync(path.join(folder, 'playbooks'));
  const copy = (from: string, to: string): void => fs.copyFileSync(from, path.join(folder, to));
  for (const name of ['error_path.yaml', 'error_path.rehearsal.yaml'])
    copy(path.join(ROOT, 'playbooks', name), path.join('playbooks', name));
  for (const name of ['failed', 'rescued'])
    copy(path.join(HISTORIES, `error_path_${name}.json`), `${name}.json`);
  for (const [, name, yaml] of page.matchAll(/```yaml\n# (\S+\.yaml)\n([\s\S]*?)```/g))
    fs.writeFileSync(path.join(folder, name!), yaml!);
  const text = fs.readFileSync(path.join(ROOT, 'playbooks/error_path.yaml'), 'utf8');
  const [, before, after] = /```diff\n-(.*)\n\+(.*)\n```/.exec(page)!;
  expect(text).toContain(before);
  fs.writeFileSync(path.join(folder, 'fixed.yaml'), text.replace(before!, after!));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs a command line of the page in the folder; returns its output and exit code. */
async function run(line: string): Promise<Printed> {
  const before = process.cwd();
  process.chdir(folder);
  const [command, to] = line.split(' > ');
  const words = [...command!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  try {
    const printed = await inProcess(words.slice(2));
    if (to !== undefined) fs.writeFileSync(to, printed.stdout);
    return printed;
  } finally {
    process.chdir(before);
  }
}

/** Histories are recorded anew now and then: ids and times differ. */
function plain(text: string): string {
  return text
    .replace(/\d{15,}/g, 'ID')
    .replace(/after [\d.]+ m?s/g, 'after a while')
    .trim();
}

/** Command blocks with the output below them; those that need a server or files of the reader are not run. */
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g)].flatMap(
  ([, commands, output]) => {
    const lines = commands!.trim().split('\n');
    return lines.some((line) => /\bold\.yaml\b| --server /.test(line)) ? [] : [{ lines, output }];
  },
);

test('the page has its worked example', () => {
  expect(blocks.filter(({ output }) => output).length).toBeGreaterThanOrEqual(2);
  expect(blocks.length).toBeGreaterThanOrEqual(6);
});

test.each(blocks.map(({ lines, output }) => [lines.join(' && '), lines, output] as const))(
  '%s',
  async (_name, lines, output) => {
    let text = '';
    for (const line of lines) {
      const told = await run(line);
      expect(told.code).toBe(/ verify | simulate | charged\.reh/.test(line) ? 1 : 0);
      text = told.stdout;
    }
    if (output === undefined) return;
    const [start, end = ''] = plain(output).split('  …\n');
    expect(plain(text).startsWith(start!)).toBe(true);
    expect(plain(text).endsWith(end.trim())).toBe(true);
  },
);

describe('the formats of verify', () => {
  const verify = 'npx noetl-temporal verify playbooks/error_path.yaml fixed.yaml failed.json rescued.json';

  test('JSON, for programs', async () => {
    const found = JSON.parse((await run(`${verify} --json`)).stdout) as object;
    expect(found).toMatchObject({ executions: 2, ok: false, counts: { same: 1, decision: 1 } });
  });

  test('Markdown, for pull requests', async () => {
    const { stdout: text } = await run(`${verify} --markdown`);
    expect(text).toContain('| different decision | 1 |');
    expect(text).toContain('**1 × different decision**: after step risky: to recover instead of nothing');
  });

  test('a folder of histories, and a version against itself', async () => {
    const same = 'npx noetl-temporal verify playbooks/error_path.yaml playbooks/error_path.yaml .';
    fs.mkdirSync(path.join(folder, 'more'), { recursive: true });
    fs.copyFileSync(path.join(folder, 'failed.json'), path.join(folder, 'more/again.json'));
    expect(await run(`${same.slice(0, -1)}more --json`)).toMatchObject({ code: 0 });
    fs.writeFileSync(path.join(folder, 'more/broken.json'), '{"events": [');
    const { stdout: text, code } = await run(`${same.slice(0, -1)}more --strict --json`);
    expect(JSON.parse(text)).toMatchObject({ executions: 2, counts: { same: 1, unanswerable: 1 } });
    expect(code).toBe(1);
  });
});

describe('simulate', () => {
  const simulate = 'npx noetl-temporal simulate charge.yaml';

  test('JSON, the same every time; one seed alone', async () => {
    const line = `${simulate} --faults charge.faults.yaml --seeds 50 --json`;
    const { stdout: text, code } = await run(line);
    const { faults, ...found } = JSON.parse(text) as { faults: { seed: number; rehearsal: string }[] };
    expect([code, found]).toMatchObject([1, { ok: false, runs: 50, coverage: { runs: 50 } }]);
    expect(await run(line)).toMatchObject({ stdout: text, code });
    const alone = `${simulate} --faults charge.faults.yaml --seed ${faults[0]!.seed} --json`;
    const again = JSON.parse((await run(alone)).stdout) as { faults: object[]; runs: number };
    expect(again).toMatchObject({ runs: 1, faults: [{ rehearsal: faults[0]!.rehearsal }] });
  });

  test('without a faults file; nothing found, nothing written', async () => {
    const { stdout: text, code } = await run(`${simulate} --seeds 20 --to-rehearsal none.rehearsal.yaml`);
    expect(text).toContain('no fault found');
    expect([code, fs.existsSync(path.join(folder, 'none.rehearsal.yaml'))]).toEqual([0, false]);
  });

  test('a wrong faults file is refused with its place', async () => {
    fs.writeFileSync(path.join(folder, 'wrong.faults.yaml'), 'faults: {http: {lots: 1}}\n');
    expect(await run(`${simulate} --faults wrong.faults.yaml`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/wrong\.faults\.yaml:1:17/) as string,
    });
  });
});

test('a graph says how often coverage took each arc', async () => {
  await run('npx noetl-temporal coverage playbooks/error_path.yaml --json > touched.json');
  const { stdout: text } = await run(
    'npx noetl-temporal graph playbooks/error_path.yaml --coverage touched.json --format json',
  );
  const { arcs, nodes } = JSON.parse(text) as { arcs: object[]; nodes: object[] };
  expect(arcs).toContainEqual(expect.objectContaining({ from: 'risky', to: 'end', taken: 0 }));
  expect(arcs).toContainEqual(expect.objectContaining({ from: 'recover', to: 'end', taken: 1 }));
  expect(nodes).toContainEqual(expect.objectContaining({ step: 'start', taken: 3 }));
});

test.each([
  ['whatif failed.json --outcome nope', /--outcome nope: expected STEP/],
  ["whatif failed.json --outcome 'nope=1'", /no task or step/],
  ['verify playbooks/error_path.yaml fixed.yaml', /name history files/],
  ['verify playbooks/error_path.yaml fixed.yaml nothing.json', /no such file/],
  ["verify playbooks/error_path.yaml fixed.yaml --against 'where=there'", /'where=there' is not a condition/],
  ["verify playbooks/error_path.yaml fixed.yaml --against 'status=odd'", /there is no status 'odd'/],
  ['graph playbooks/error_path.yaml --coverage failed.json', /expected what `coverage --json` prints/],
  ['simulate charge.yaml --faults nothing.yaml', /no such file/],
  ['simulate charge.yaml --seeds none', /--seeds none: expected a whole number/],
  ['simulate charge.yaml --seed 9007199254740991', /the last seed is too large/],
])('%s is refused', async (line, message) => {
  const { code, stderr } = await run(`npx noetl-temporal ${line}`);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
