/**
 * What the repository refers to is in the repository: no numbers of decisions, no documents beside it, no links that
 * lead nowhere. Sections of the specifications (docs/design/specifications.md) are cited by tests and by docs/design.
 */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = [
  'src',
  'workflows',
  'activities',
  'console',
  'test',
  'bench',
  'scripts',
  'docs',
  'playbooks',
  'docker',
  'deploy',
  '.github',
];
const TEXT = /\.(tsx?|mjs|cjs|py|md|ya?ml|sql|sh)$/;
/** The histories are records. */
const LEFT_OUT = /^test\/histories\/|^test\/spec\/citations\.test\.ts$/;

const CITATIONS: readonly { readonly of: string; readonly is: RegExp; readonly may?: RegExp }[] = [
  { of: 'the former design document', is: /\bDESIGN\.md\b/ },
  { of: 'a number of a decision', is: /\bD[1-9]\d?\b(?!['"])/ },
  { of: 'notes beside the repository', is: /\bfacts\/[\w/-]+\.md/ },
  { of: 'files beside the repository', is: /\.\.\/shared\b|'\.\.', *'shared'/ },
  {
    of: 'a section of a specification',
    is: /\bS[1-5](?:,? ?§| section )/,
    may: /\.test\.ts$|^test\/spec\/|^docs\/design\/|^docs\/reference\/conformance\.md$|^scripts\/conformance\.mjs$/,
  },
];

function citationsIn(file: string, text: string): string[] {
  const asked = CITATIONS.filter(({ may }) => !may?.test(file));
  return text
    .split('\n')
    .flatMap((line, at) =>
      asked
        .filter(({ is }) => is.test(line))
        .map(({ of }) => `${file}:${at + 1} cites ${of}: ${line.trim()}`),
    );
}

/** The anchor that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(page: string): string[] {
  const text = fs.readFileSync(path.join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const named = [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!);
  return [...named, ...[...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => anchorOf(heading!.trim()))];
}

/** Why a reference leads nowhere; undefined for one that does not. */
function deadEnd(target: string): string | undefined {
  const [page, anchor] = target.split('#') as [string, string?];
  if (!fs.existsSync(path.join(ROOT, page))) return `there is no ${page}`;
  if (anchor === undefined || !page.endsWith('.md') || anchorsOf(page).includes(anchor)) return undefined;
  return `${page} has no heading #${anchor}`;
}

function deadEndsIn(file: string, text: string): string[] {
  const links = file.endsWith('.md')
    ? [...text.replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, '').matchAll(/\]\((?!\w+:|\/)([^)\s]+)\)/g)].map(
        ([, link]) =>
          link!.startsWith('#')
            ? file + link!
            : path.posix.normalize(path.posix.join(path.posix.dirname(file), link!)),
      )
    : [...text.matchAll(/\bdocs\/design\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([mention]) => mention);
  return links.flatMap((target) => {
    const why = deadEnd(target);
    return why === undefined ? [] : [`${file}: ${why}`];
  });
}

const files = [
  ...fs.readdirSync(ROOT).filter((name) => fs.statSync(path.join(ROOT, name)).isFile()),
  ...FOLDERS.filter((folder) => fs.existsSync(path.join(ROOT, folder))).flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, ...name.split(path.sep))),
  ),
].filter((file) => TEXT.test(file) && !LEFT_OUT.test(file) && !file.includes('node_modules'));
const texts = files.map((file) => [file, fs.readFileSync(path.join(ROOT, file), 'utf8')] as const);

test('nothing cites what is not in the repository', () => {
  expect(texts.flatMap(([file, text]) => citationsIn(file, text))).toEqual([]);
});

test('every link of a page, and every page of docs/design that code names, is there', () => {
  expect(texts.flatMap(([file, text]) => deadEndsIn(file, text))).toEqual([]);
});

test('every section of a specification that is cited is described in docs/design', () => {
  const described = fs.readFileSync(path.join(ROOT, 'docs/design/specification-sections.md'), 'utf8');
  const rows = [...described.matchAll(/^\| (S[1-5] §[\d.]+) \|/gm)].map(([, section]) => `${section}.`);
  const cited = new Set(texts.flatMap(([, text]) => text.match(/\bS[1-5] §\d+(?:\.\d+)*/g) ?? []));
  expect(cited.size).toBeGreaterThan(50);
  expect([...cited].filter((section) => !rows.some((row) => row.startsWith(`${section}.`)))).toEqual([]);
});

test.each([
  ['src/x.ts', '/** Joins (D13). */'],
  ['src/x.ts', '// as DESIGN.md section 3 says'],
  ['docs/x.md', 'Rules (S3 §6.2) decide.'],
  ['playbooks/x.yaml', '# The example of S3 section 13'],
  ['workflows/x.ts', ' * (facts/temporal.md 3.1)'],
  ['src/x.test.ts', "join(__dirname, '../../../shared/jinja.json')"],
])('a citation in %s is found: %s', (file, line) => {
  expect(citationsIn(file, line)).toHaveLength(1);
});

test('sections may be cited where the specifications are tested, and dead ends are found', () => {
  expect(citationsIn('src/x.test.ts', '// S3 §6.2: the first rule wins')).toEqual([]);
  expect(citationsIn('activities/x.ts', 'const S3: Reader = ask; // S3, GCS')).toEqual([]);
  expect(deadEndsIn('src/x.ts', '// docs/design/tokens.md#joins')).toEqual([]);
  expect(deadEndsIn('src/x.ts', '// docs/design/tokens.md#no-such')).toHaveLength(1);
  expect(deadEndsIn('src/x.ts', '// docs/design/no-such.md')).toHaveLength(1);
  expect(
    deadEndsIn('docs/x.md', '[a](design/tokens.md#joins) [b](design/no.md) [c](https://a.b)'),
  ).toHaveLength(1);
});
