/** `noetl-temporal test` as a process: formats, streams, exit codes. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { noetl } from '../support/process';
import { inProcess } from '../support/program';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-rehearsals-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const written = path.join(folder, name);
  fs.writeFileSync(written, text);
  return written;
}

const playbook = file(
  'x.yaml',
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: x, path: test/x }
workflow:
  - step: start
    tool: { kind: http, url: https://x }
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop, input: { hits: "{{ start.hits }}" } }
`,
);
const good = file(
  'good.rehearsal.yaml',
  'playbook: ./x.yaml\nname: counts\nmocks: { start: { body: { hits: 3 } } }\nexpect: { result: { hits: 3 } }\n',
);
const bad = file(
  'bad.rehearsal.yaml',
  'playbook: ./x.yaml\nname: "counts <4> & \\"more\\" \\u0007"\nmocks: { start: { body: { hits: 3 } } }\nexpect:\n  result: { hits: "<4>" }\n',
);
const broken = file('broken.rehearsal.yaml', 'playbook: ./x.yaml\nmocks: { strat: 1 }\n');

interface Report {
  passed: number;
  failed: number;
  rehearsals: { file: string; name: string; ok: boolean; diff: string | null }[];
  errors: { file: string; diagnostics: { code: string; line: number; column: number; hint: string }[] }[];
}

test('text shows what passed, and for what failed where and how; exit codes 0, 1 and 2', async () => {
  const passing = await inProcess(['test', good]);
  expect(passing).toMatchObject({ code: 0, stderr: '' });
  expect(passing.stdout).toBe(`✓ ${good} › counts (1 call, 0 s simulated)\n\n1 passed\n`);
  const failing = await inProcess(['test', good, bad]);
  expect(failing.code).toBe(1);
  expect(failing.stdout).toContain(
    `    result: 1 difference\n      result.hits: expected "<4>", got 3\n      at ${bad}:5:19\n\n1 passed, 1 failed`,
  );
  const wrong = await inProcess(['test', good, bad, broken]);
  expect(wrong.code).toBe(2);
  expect(wrong.stdout).toMatch(
    /broken\.rehearsal\.yaml:2:10: error NT7002[^]*did you mean `start`\?[^]*1 passed, 1 failed, 1 file with errors/,
  );
});

test('json is one document', async () => {
  const { code, stdout } = await noetl(['test', good, bad, broken, '--format', 'json']);
  const report = JSON.parse(stdout) as Report;
  expect(code).toBe(2);
  expect(report).toMatchObject({ passed: 1, failed: 1 });
  expect(report.rehearsals.map(({ ok, diff }) => [ok, diff])).toEqual([
    [true, null],
    [false, `result: 1 difference\n  result.hits: expected "<4>", got 3\n  at ${bad}:5:19`],
  ]);
  expect(report.errors).toEqual([
    {
      file: broken,
      diagnostics: [
        expect.objectContaining({
          code: 'NT7002',
          line: 2,
          column: 10,
          hint: 'did you mean `start`?',
        }) as object,
      ],
    },
  ]);
});

test('junit is XML as a strict parser reads it', async () => {
  const { code, stdout } = await inProcess(['test', good, bad, broken, '--format', 'junit']);
  expect(code).toBe(2);
  const read = `
import json, sys, xml.etree.ElementTree as tree
def plain(node): return {'tag': node.tag, **node.attrib, 'text': node.text, 'in': [plain(each) for each in node]}
print(json.dumps(plain(tree.fromstring(sys.stdin.buffer.read()))))`;
  const root = JSON.parse(
    execFileSync('python3', ['-c', read], { input: stdout, encoding: 'utf8' }),
  ) as object;
  expect(root).toMatchObject({
    tag: 'testsuites',
    tests: '3',
    failures: '1',
    errors: '1',
    in: [
      { tag: 'testsuite', name: good, tests: '1', in: [{ tag: 'testcase', name: 'counts', line: '2' }] },
      {
        failures: '1',
        in: [
          {
            name: 'counts <4> & "more" \ufffd',
            in: [
              {
                tag: 'failure',
                type: 'result',
                message: 'result: 1 difference',
                text: `result: 1 difference\n  result.hits: expected "<4>", got 3\n  at ${bad}:5:19`,
              },
              { tag: 'system-out', text: '0 s of simulated time' },
            ],
          },
        ],
      },
      { errors: '1', in: [{ in: [{ tag: 'error', type: 'NT7002' }] }] },
    ],
  });
});

test('a folder stands for the rehearsals below it', async () => {
  const { stdout } = await inProcess(['test', folder, '--format', 'json']);
  expect((JSON.parse(stdout) as Report).rehearsals.map((each) => each.file)).toEqual([bad, good]);
});

test('the examples of playbooks/ pass, faster than any of them runs', async () => {
  const { code, stdout } = await inProcess(['test', 'playbooks', '--format', 'json']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as Report).passed).toBeGreaterThanOrEqual(10);
});

test('--init writes a rehearsal that passes, and never over one', async () => {
  const { code, stdout } = await inProcess(['test', '--init', playbook]);
  const made = path.join(folder, 'x.rehearsal.yaml');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `${made} written; \`noetl-temporal test ${made}\` runs it\n`,
  });
  expect((await inProcess(['test', made])).code).toBe(0);
  const again = await inProcess(['test', '--init', playbook]);
  expect(again).toMatchObject({ code: 2, stderr: `error: ${made} is there already\n` });
  fs.rmSync(made);
});

test.each([
  [['test'], 'missing required argument'],
  [['test', 'no-such.rehearsal.yaml'], 'no-such.rehearsal.yaml: there is no such file'],
  [['test', good, '--format', 'tap'], '--format tap: expected text, json, junit'],
  [['test', 'docs'], 'docs: this folder contains no *.rehearsal.yaml'],
])('%j is wrong use: exit code 2, one line', async (args, line) => {
  const { code, stdout, stderr } = await inProcess(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(line);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('a playbook that is not there, or has errors, is told at the line that names it', async () => {
  const gone = file('gone.rehearsal.yaml', 'playbook: ./y.yaml\n');
  file(
    'z.yaml',
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: z}\nworkflow: [{step: start, tol: 1}]\n',
  );
  const wrong = file('wrong.rehearsal.yaml', 'playbook: ./z.yaml\n');
  const { code, stdout } = await inProcess(['test', gone, wrong]);
  fs.rmSync(gone);
  fs.rmSync(wrong);
  expect(code).toBe(2);
  expect(stdout).toMatch(/gone\.rehearsal\.yaml:1:11: error NT7001: the playbook does not exist/);
  expect(stdout).toMatch(
    /wrong\.rehearsal\.yaml:1:11: error NT7001: the playbook has errors: \S+z\.yaml:4:\d+: NT2001/,
  );
});
