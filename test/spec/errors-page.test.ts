/** docs/reference/errors.md has every code of an error, what it says, how to mend it, and which pages speak of it. */
import fs from 'node:fs';
import path from 'node:path';
import { DEEP_CODES } from '../../src/offline/proof/deep';
import { errorCodes, type ErrorUse } from '../support/error-codes';
import { ROOT } from '../support/process';

const DOCS = path.join(ROOT, 'docs');
const FILE = path.join(DOCS, 'reference', 'errors.md');
const MADE =
  '<!-- Made from the source by `UPDATE_REFERENCE=1 npx jest test/spec/errors-page.test.ts --selectProjects unit`; do not edit. -->';
const MOST_MESSAGES = 3;
const MOST_PAGES = 3;

const AREAS: readonly (readonly [string, RegExp])[] = [
  ['Tools', /^activities\//],
  ['Runs', /^(src\/(engine|history|offline|temporal|language)|workflows)\//],
  ['REST and the facade', /^src\/server\//],
  ['Values and keys', /^src\/storage\//],
  ['Commands, editors, assistants', /./],
];

/** Where the message is another system's, or put together of parts. */
const WORDS: Readonly<Record<string, string>> = {
  ACTIVITY_FAILED: 'the activity failed in a way that has no code of its own; the message is its error',
  EXECUTION_FAILED: 'the execution that the request waited for failed; the message is its error',
  INGRESS_REJECTED: 'a message did not reach an execution; its dead letter says why',
  INPUT_UNREAD: 'a file that a command was given cannot be read; the message says why',
  INVALID_REQUEST: 'the service refuses the request; the message is what it says',
  NOT_STORABLE: 'the result cannot be kept as JSON; the message names the place',
  NO_WORKFLOW_WORKER:
    'no workflow worker answered in time: none runs (start one with `worker --workflows`, or `dev`), or all are busy (try again)',
  QUERY_FAILED: 'the database refuses the statement; the message is what it says',
  REGION_MISSING: 'S3 needs a region: of the credential, or of the environment (`AWS_REGION`)',
  RULE_FAIL:
    'a rule of the playbook failed the step (`do: fail`, `fail`); the message is the rule’s, or that of the task',
  RUN_FAILED: 'a run that a tool of an assistant started failed; the message is what it printed',
  SCHEDULE_INVALID: 'the schedule is refused; the message names the field',
  START_FAILED: 'a start of a schedule failed before there was an execution; the message says why',
  SUPERSEDED: 'another process has taken over what this one was doing; nothing is lost',
  STEP_WAITS: 'a step waits for a branch that is still on its way',
};
/** Codes of Node and of clients, which are looked at and never told. */
const OTHERS = new Set(['ENOENT', 'ERR_CANCELED']);

const pages = (fs.readdirSync(DOCS, { recursive: true, encoding: 'utf8' }) as string[])
  .filter((name) => name.endsWith('.md') && !/^(reference|design)\//.test(name))
  .sort()
  .map((name) => ({ name, text: fs.readFileSync(path.join(DOCS, name), 'utf8') }));

const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .trim();
const unique = (texts: readonly string[]): string[] => [...new Set(texts.map(oneLine))];

function sectionOf(code: string, uses: readonly ErrorUse[]): string {
  const messages = unique(uses.flatMap(({ message }) => message ?? [])).slice(0, MOST_MESSAGES);
  const hints = unique(uses.flatMap((use) => use.hints)).slice(0, MOST_MESSAGES);
  const spoken = pages.filter(({ text }) => new RegExp(`\\b${code}\\b`).test(text)).slice(0, MOST_PAGES);
  const links = spoken.map(({ name }) => `[${name.replace(/\.md$/, '')}](../${name})`);
  const words = messages.length === 0 && WORDS[code] !== undefined ? [`- ${WORDS[code]}`] : [];
  const lines = [
    ...words,
    ...messages.map((one) => `- ${one}`),
    ...hints.map((one) => `- → ${one}`),
    ...(links.length > 0 ? [`- ${links.join(', ')}`] : []),
  ];
  return headed(code, lines);
}

const headed = (code: string, lines: readonly string[]): string =>
  `<a id="${code.toLowerCase()}"></a>\n\n### ${code}\n\n${lines.join('\n')}`;

/** The codes of `check --deep`. */
function findings(): string {
  const sections = Object.entries(DEEP_CODES).map(([code, [severity, title]]) =>
    headed(code, [
      `- ${severity}: ${oneLine(title)}`,
      '- [proving-a-change](../proving-a-change.md#everything-that-can-happen)',
    ]),
  );
  return `## Findings of check --deep\n\n${sections.join('\n\n')}`;
}

test('docs/reference/errors.md is made from the source', () => {
  const all = [...errorCodes()]
    .filter(([code]) => !OTHERS.has(code))
    .map(([code, uses]) => ({ code, uses, text: sectionOf(code, uses) }));
  const told = all.filter(({ text }) => text.includes('\n- '));
  const left = new Set(told);
  const sections = AREAS.map(([title, files]) => {
    const own = [...left].filter(({ uses }) => files.test(uses[0]!.file));
    for (const one of own) left.delete(one);
    return `## ${title}\n\n${own.map(({ text }) => text).join('\n\n')}`;
  });
  const intro =
    '# Errors\n\nThe codes of errors when something runs; they are stable, and programs may test them. What the compiler says about a playbook has codes of its own: [diagnostics](diagnostics.md). `noetl-temporal help CODE` prints the section of a code. ' +
    '`‹…›` stands for what is filled in, `→` for how to mend it. Codes of other systems are kept: `HTTP_404`, `SQLSTATE_23505`, `PY_ValueError`, `EXIT_1`.';
  const made = `${[MADE, intro, ...sections, findings()].join('\n\n').trim()}\n`;
  if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(FILE, made);
  expect(fs.readFileSync(FILE, 'utf8')).toBe(made);
  expect(all.filter((one) => !told.includes(one)).map(({ code }) => code)).toEqual([]);
});
