/** Every code leads to its place: the address in diagnostics, errors, SARIF and editors, and `help CODE` without a network. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { protocolDiagnostic } from '../../src/cli/lsp/convert';
import { errorText } from '../../src/cli/output/say';
import { CODES, compile, diagnosticDocument, formatDiagnostics, sarifLog } from '../../src/language/dsl';
import { CodedError, DOCS_URL, docsOf } from '../../src/language/errors';
import { DEEP_CODES } from '../../src/offline/proof/deep';
import { errorCodes } from '../support/error-codes';
import { ROOT } from '../support/process';
import { inProcess } from '../support/program';

const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  repository: { url: string };
};
/** Codes of Node and of clients, which are looked at and never told. */
const OTHERS = new Set(['ENOENT', 'ERR_CANCELED']);

const pages = new Map(
  ['diagnostics', 'errors'].map((name) => {
    const page = `/reference/${name}.md`;
    return [page, fs.readFileSync(path.join(ROOT, 'docs', page), 'utf8')] as const;
  }),
);

function isThere(url: string): boolean {
  const [page = '', id = ''] = url.slice(DOCS_URL.length).split('#');
  return pages.get(page)!.includes(`\n<a id="${id}"></a>\n\n### `);
}

test('the address is that of the repository, as in the alerts', () => {
  expect(manifest.repository.url).toContain(DOCS_URL.replace('/blob/main/docs', ''));
  const rules = path.join(ROOT, 'deploy/helm/noetl-temporal/files/rules.yaml');
  expect(fs.readFileSync(rules, 'utf8')).toContain(`${DOCS_URL}/`);
});

test('every code has an anchor', () => {
  const codes = [...Object.keys(CODES), ...errorCodes().keys(), ...Object.keys(DEEP_CODES)];
  expect(codes.length).toBeGreaterThan(500);
  expect(codes.filter((code) => !OTHERS.has(code) && !isThere(docsOf(code)))).toEqual([]);
  expect(isThere(docsOf('NO_SUCH'))).toBe(false);
});

test('a diagnostic leads there: as JSON, as SARIF, in an editor', () => {
  const [found] = compile('kind: Playbook\n').diagnostics;
  const docs = docsOf(found!.code);
  expect(isThere(docs)).toBe(true);
  expect(diagnosticDocument(found!)).toMatchObject({ docs });
  expect(protocolDiagnostic(found!)).toMatchObject({ codeDescription: { href: docs } });
  const { runs } = sarifLog([], '1.0.0') as {
    runs: { tool: { driver: { rules: { id: string; helpUri: string }[] } } }[];
  };
  const { rules } = runs[0]!.tool.driver;
  expect(rules.map(({ helpUri }) => helpUri)).toEqual(rules.map(({ id }) => docsOf(id)));
});

test('in a terminal, a code is a link; where there are no colours, it is not', () => {
  const link = (code: string): string => `\u001b]8;;${docsOf(code)}\u001b\\`;
  const found = compile('kind: Playbook\n').diagnostics.slice(0, 1);
  const refused = new CodedError('SCHEDULE_EXISTS', 'it exists');
  expect(formatDiagnostics(found, '', { color: true })).toContain(link(found[0]!.code));
  expect(errorText(refused, true)).toContain(link('SCHEDULE_EXISTS'));
  expect(formatDiagnostics(found, '') + errorText(refused, false)).not.toContain('\u001b');
  expect(errorText(new CodedError('a\u0007b', 'x'), true)).not.toContain(']8;');
});

test.each(['NT3003', 'nt3003', 'SCHEDULE_EXISTS', 'CTX_RACE'])('help %s prints its section', async (code) => {
  const { code: exit, stdout } = await inProcess(['help', code]);
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(
      new RegExp(`^${code}\\b[^]+\\n\\n${docsOf(code.toUpperCase())}\n$`, 'i'),
    ) as string,
  });
  expect(stdout).not.toMatch(/^#|<a id|```|\]\(/m);
});

test('help of a code that is not ours says so', async () => {
  expect(await inProcess(['help', 'NT9999'])).toMatchObject({ code: 1 });
  const { code, stderr } = await inProcess(['help', 'SCHEDULE_EXIST']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('SCHEDULE_EXISTS') as string });
});

test('validate names the command that explains what it found', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-codes-'));
  const file = path.join(folder, 'wrong.yaml');
  fs.writeFileSync(file, 'apiVersion: noetl.io/v2\nkind: Playbook\n');
  const { stdout } = await inProcess(['validate', file]);
  fs.rmSync(folder, { recursive: true });
  expect(stdout).toMatch(/\n\n`noetl-temporal help NT\d{4}` explains a code\.\n$/);
  const sound = await inProcess(['validate', path.join(ROOT, 'playbooks/hello_world.yaml')]);
  expect(sound.stdout).not.toContain('help');
});
