import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { docsOf } from '../../language/errors';
import { UsageError } from '../errors';
import { validateCommand } from './validate';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-validate-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function file(name: string, next: string): string {
  const written = path.join(folder, name);
  const head = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}}\n`;
  fs.writeFileSync(written, `${head}workflow:\n- step: start\n  tool: {kind: noop}\n  next: ${next}\n`);
  return written;
}

const good = file('good', '{arcs: [{step: end}]}');
const old = file('old', 'end');
const bad = file('bad', '{arcs: [{step: nowhere}]}');

async function validate(...args: string[]): Promise<{ code: unknown; stdout: string }> {
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((_, done) => {
    (done as unknown as () => void)();
    return true;
  });
  const before = process.exitCode;
  try {
    await validateCommand().exitOverride().parseAsync(args, { from: 'user' });
    return { code: process.exitCode, stdout: write.mock.calls.map(([text]) => String(text)).join('') };
  } finally {
    process.exitCode = before;
    write.mockRestore();
  }
}

test('all files are judged, and one with an error makes the exit code 2', async () => {
  const { code, stdout } = await validate(good, bad, '--format', 'json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    files: [
      { file: good, diagnostics: [] },
      {
        file: bad,
        diagnostics: [
          {
            code: 'NT3003',
            severity: 'error',
            message: 'no step is called `nowhere`',
            line: 7,
            column: 24,
            end_line: 7,
            end_column: 31,
            path: 'workflow[0].next.arcs[0].step',
            hint: 'there is `start` or `end`',
            docs: docsOf('NT3003'),
          },
        ],
      },
    ],
  });
});

test('rehearsals that a pattern names beside playbooks are left out, and judged where nothing else is named', async () => {
  const rehearsal = path.join(folder, 'good.rehearsal.yaml');
  fs.writeFileSync(rehearsal, 'playbook: ./good\nrehearsals: []\n');
  const { code, stdout } = await validate(good, rehearsal);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('rehearsal') as string });
  expect((await validate(rehearsal)).code).toBe(2);
});

test('--strict makes a deprecation an error', async () => {
  expect(await validate(old, '--format', 'json')).toMatchObject({ code: 0 });
  expect(await validate(old, '--format', 'json', '--strict')).toMatchObject({ code: 2 });
});

test('what Python says of code is a warning in its place, and an error under --strict', async () => {
  const python = path.join(folder, 'python');
  const answer = '[null, {"line": 2, "column": 5, "message": "invalid syntax"}]';
  fs.writeFileSync(python, `#!/bin/sh\ncat > /dev/null\necho '${answer}'\n`, { mode: 0o755 });
  const code = path.join(folder, 'code');
  const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: code}\nworkflow:\n';
  const step = (text: string): string => `  - kind: python\n    code: |\n      ${text}\n      b = = 2\n`;
  fs.writeFileSync(code, `${head}- step: start\n  tool:\n${step('a = 1')}${step('a = 2')}`);
  const before = process.env['NOETL_PYTHON'];
  process.env['NOETL_PYTHON'] = python;
  try {
    const { code: exit, stdout } = await validate(code);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/code:14:11: warning NT4010: Python cannot read this code: invalid syntax\n[^]*✓/);
    expect(await validate(code, '--strict')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('14:11: error NT4010') as string,
    });
  } finally {
    if (before === undefined) delete process.env['NOETL_PYTHON'];
    else process.env['NOETL_PYTHON'] = before;
  }
});

test('text shows the line, and a mark for each file that can run', async () => {
  const { code, stdout } = await validate(good, old);
  expect(code).toBe(0);
  expect(stdout).toContain(`✓ ${good}`);
  expect(stdout).toMatch(/old:7:3: warning NT5008[^]*\^\^\^\^[^]*✓/);
});

test('sarif is one log over all files', async () => {
  const { code, stdout } = await validate(good, bad, '--format', 'sarif');
  const log = JSON.parse(stdout) as { version: string; runs: { results: object[]; artifacts: object[] }[] };
  expect(code).toBe(2);
  expect(log.version).toBe('2.1.0');
  expect(log.runs[0]!.artifacts).toHaveLength(2);
  expect(log.runs[0]!.results).toHaveLength(1);
});

test('an unknown format and a missing file are errors of usage', async () => {
  await expect(validate(good, '--format', 'xml')).rejects.toThrow(UsageError);
  await expect(validate(path.join(folder, 'gone.yaml'))).rejects.toThrow(/there is no such file/);
});

test('the playbooks of a folder are a catalog: a sub-playbook that none of them is, is told', async () => {
  const below = fs.mkdtempSync(path.join(folder, 'catalog-'));
  const write = (name: string, tool: string): void => {
    const head = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: parts/${name}}\n`;
    fs.writeFileSync(path.join(below, `${name}.yaml`), `${head}workflow:\n- step: start\n  tool: ${tool}\n`);
  };
  write('store', '{kind: noop}');
  write('calls', '[{kind: playbook, path: parts/store}, {kind: playbook, path: parts/stored}]');
  fs.writeFileSync(path.join(below, 'compose.yaml'), 'services: {}\n');
  const { code, stdout } = await validate(below, '--format', 'json');
  expect(code).toBe(0);
  const { files } = JSON.parse(stdout) as { files: { file: string; diagnostics: object[] }[] };
  expect(files.map((each) => [path.basename(each.file), each.diagnostics])).toMatchObject([
    ['calls.yaml', [{ code: 'NT3025', line: 6, hint: 'did you mean `parts/store`?' }]],
    ['store.yaml', []],
  ]);
});

describe('sub-playbooks', () => {
  const library = path.join(folder, 'library');
  const caller = path.join(folder, 'library', 'main.yaml');
  const head = (name: string): string =>
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: lib/${name}}\n`;
  const calling = (called: string): void => {
    const workflow = `workflow:\n- {step: start, tool: {kind: playbook, path: ${called}}}\n`;
    fs.writeFileSync(caller, head('main') + workflow);
  };
  fs.mkdirSync(library);
  fs.writeFileSync(
    path.join(library, 'score.yaml'),
    `${head('score')}workflow: [{step: start, tool: {kind: noop}}]\n`,
  );

  test('a misspelt one is told by the playbooks beside the file', async () => {
    calling('lib/scroe');
    const { stdout, code } = await validate(caller);
    expect(code).toBe(0);
    expect(stdout).toContain('NT3025: no playbook has the path `lib/scroe`');
    expect(stdout).toContain('did you mean `lib/score`?');
  });

  test('one that is elsewhere is, and where it is can be said', async () => {
    calling('team/billing');
    expect((await validate(caller)).stdout).toMatch(
      /NT3025: no playbook has the path `team\/billing`[^]*--catalog/,
    );
    expect((await validate(caller, '--catalog', library)).stdout).toContain('`team/billing`');
    calling('lib/score');
    expect((await validate(caller, '--catalog', library)).stdout).not.toContain('NT3025');
    for (const file of ['./score.yaml', 'score.yaml']) {
      calling(file);
      expect((await validate(caller)).stdout).not.toContain('NT3025');
      expect((await validate(library)).stdout).not.toContain('NT3025');
    }
    calling('./scores.yaml');
    expect((await validate(caller)).stdout).toContain('NT3025');
  });

  test('inputs that one does not take are told, where they are written', async () => {
    fs.writeFileSync(
      path.join(library, 'typed.yaml'),
      'apiVersion: noetl.io/v2\nkind: Playbook\n' +
        'metadata: {name: typed, path: lib/typed, workload: {n: {type: integer, required: true}, c: {enum: [a]}}}\n' +
        'workflow: [{step: start, tool: {kind: noop}}]\n',
    );
    const told = async (inputs: string): Promise<string[]> => {
      calling(`lib/typed, ${inputs}`);
      return [...(await validate(caller)).stdout.matchAll(/NT3027: (.*)/g)].map(([, said]) => said!);
    };
    expect(await told('input: {n: many, c: b}')).toEqual([
      '`n` of `lib/typed` must be a whole number, not a string',
      '`c` of `lib/typed` must be one of "a"',
    ]);
    expect(await told('payload: {}')).toEqual(['`n` of `lib/typed` is required']);
    expect(await told('input: {n: "{{ 1 + 1 }}", c: ["{{ x }}"]}')).toEqual([]);
    expect(await told('input: {n: x}, version: 1')).toEqual([]);
  });

  test('a secret input that is given one in the open is told, at any depth', async () => {
    fs.writeFileSync(
      path.join(library, 'sealed.yaml'),
      'apiVersion: noetl.io/v2\nkind: Playbook\n' +
        'metadata: {name: sealed, path: lib/sealed, workload: {token: {secret: true}, ' +
        'logins: {items: {properties: {password: {secret: true}}}}}}\n' +
        'workflow: [{step: start, tool: {kind: noop}}]\n',
    );
    const told = async (inputs: string): Promise<string[]> => {
      calling(`lib/sealed, input: ${inputs}`);
      return [...(await validate(caller)).stdout.matchAll(/NT3109: (.*)/g)].map(([, said]) => said!);
    };
    expect(await told('{token: abc, logins: [{user: a}, {user: b, password: xyz}]}')).toEqual([
      '`token` of `lib/sealed` is secret, but its value is in plain text here',
      '`logins[1].password` of `lib/sealed` is secret, but its value is in plain text here',
    ]);
    expect(await told('{token: "{{ keychain.api.token }}", logins: [{password: null}]}')).toEqual([]);
  });

  test('a catalog that is not there is wrong usage', async () => {
    await expect(validate(caller, '--catalog', 'nowhere')).rejects.toThrow(UsageError);
  });
});

describe('fixes', () => {
  const HEAD =
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: fix}\nworkflow:\n- step: start # first\n';
  const before = `${HEAD}  tool: {kind: nop}\n  next: end\n`;
  const after = `${HEAD}  tool: {kind: noop}\n  next:\n    arcs:\n      - step: end\n`;
  const name = path.join(folder, 'fix.yaml');
  beforeEach(() => fs.writeFileSync(name, before));

  test('--fix changes the file, and reports what is left', async () => {
    expect(await validate(name, '--fix')).toEqual({ code: 0, stdout: `✓ ${name}\n` });
    expect(fs.readFileSync(name, 'utf8')).toBe(after);
    expect(await validate(name, '--fix')).toEqual({ code: 0, stdout: `✓ ${name}\n` });
  });

  test('--fix-dry-run shows the change and checks its result, and leaves the file', async () => {
    const { code, stdout } = await validate(name, '--fix-dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('-  tool: {kind: nop}\n-  next: end\n+  tool: {kind: noop}\n');
    const json = await validate(name, '--fix-dry-run', '--format', 'json');
    expect(JSON.parse(json.stdout)).toEqual({
      ok: true,
      files: [{ file: name, fixed: after, diagnostics: [] }],
    });
    expect(fs.readFileSync(name, 'utf8')).toBe(before);
  });

  test('standard input is not changed', async () => {
    await expect(validate('-', '--fix')).rejects.toThrow('--fix-dry-run shows what --fix would change');
  });

  test('JSON and SARIF carry the fix of each diagnostic', async () => {
    const start = before.indexOf('nop');
    const json = JSON.parse((await validate(name, '--format', 'json')).stdout) as {
      files: { diagnostics: { code: string; fix: unknown }[] }[];
    };
    expect(json.files[0]!.diagnostics[0]).toMatchObject({
      code: 'NT2050',
      fix: { what: '`nop` → `noop`', edits: [{ start, end: start + 3, text: 'noop' }] },
    });
    const sarif = JSON.parse((await validate(name, '--format', 'sarif')).stdout) as {
      runs: { results: { fixes: unknown }[] }[];
    };
    expect(sarif.runs[0]!.results[0]!.fixes).toEqual([
      {
        description: { text: '`nop` → `noop`' },
        artifactChanges: [
          {
            artifactLocation: expect.objectContaining({ index: 0 }) as object,
            replacements: [
              { deletedRegion: { charOffset: start, charLength: 3 }, insertedContent: { text: 'noop' } },
            ],
          },
        ],
      },
    ]);
  });
});

test('agents are playbooks, and MCP servers are judged as what they are', async () => {
  const sources = path.join(folder, 'resources');
  fs.mkdirSync(sources);
  const write = (name: string, text: string): string => {
    fs.writeFileSync(path.join(sources, name), `apiVersion: noetl.io/v2\n${text}`);
    return path.join(sources, name);
  };
  const steps = 'workflow: [{step: start, tool: {kind: noop}}]\n';
  write('agent.yaml', `kind: Agent\nmetadata: {name: a, path: x/a}\n${steps}`);
  const server = write(
    'mcp.yaml',
    'kind: Mcp\nmetadata: {name: m, path: mcp/m}\nspec: {url: "http://m/mcp"}\n',
  );
  const wrong = write('wrong.yaml', 'kind: Mcp\nmetadata: {name: w, path: mcp/w}\nspec: {url: m}\n');
  // A folder has its playbooks, one of them an agent.
  expect(await validate(sources)).toMatchObject({ code: 0, stdout: expect.stringContaining('agent.yaml') });
  expect(await validate(server)).toMatchObject({ code: 0, stdout: expect.stringContaining('✓') });
  const { code, stdout } = await validate(server, wrong, '--format', 'json');
  const { ok, files } = JSON.parse(stdout) as { ok: boolean; files: { diagnostics: object[] }[] };
  expect([code, ok, files]).toMatchObject([
    2,
    false,
    [{ diagnostics: [] }, { diagnostics: [{ code: 'NT2004' }] }],
  ]);
});
