// Makes docs/reference/conformance.md: which test shows which section of the specifications (S1–S5, which
// docs/design/specifications.md lists). A test says so by a tag in its title: `S3 §6.5`. Titles are read from the sources (string
// literals of `test`, `it` and `describe`; a tag of a `describe` is the tag of all its tests) and from the names of the
// rehearsals in test/spec. What a playbook of test/spec changes of the example it holds stands in its comments
// `# changed: …, because …`, one a line; a playbook without any is the example itself.
//
//   node scripts/conformance.mjs           writes the page
//   node scripts/conformance.mjs --check   exit code 1 when the page is not what it would write
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = path.join(ROOT, 'docs/reference/conformance.md');
const FOLDERS = ['src', 'workflows', 'activities', 'test'];

const SPECS = {
  S1: 'S1: formal specification',
  S2: 'S2: formal specification, extended',
  S3: 'S3: canonical v2',
  S4: 'S4: canonical step, v10',
  S5: 'S5: architecture',
};

const EXAMPLES = 'test/spec';
const CHANGE = /^ *# changed: (.+?), because (.+)$/gm;

const TAG = /\b(S[1-5]) §(\d+(?:\.\d+)*)/g;
/** The title of a test or describe: the first string literal of the call, optionally after a table of `each`. */
const TITLE =
  /\b(?:test|it|describe)(?:\.\w+)*(?:\([^)]*\))?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/g;
const REHEARSAL_NAME = /^\s*-? *name: (?:"(.*)"|(.*))$/gm;

function filesBelow(folder) {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.ts$|^spec\/.*\.rehearsal\.yaml$/.test(name.split(path.sep).join('/')))
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .sort();
}

function titlesOf(file) {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const pattern = file.endsWith('.yaml') ? REHEARSAL_NAME : TITLE;
  return [...text.matchAll(pattern)].map((found) =>
    (found[1] ?? found[2] ?? found[3]).replaceAll("\\'", "'"),
  );
}

/** tag → tests with this tag */
function collect() {
  const found = new Map();
  for (const file of FOLDERS.flatMap(filesBelow)) {
    for (const title of titlesOf(file)) {
      for (const [, spec, section] of title.matchAll(TAG)) {
        const tag = `${spec} §${section}`;
        found.set(tag, [...(found.get(tag) ?? []), { file, title }]);
      }
    }
  }
  return found;
}

/** What the playbooks of test/spec change in the examples of a specification, and why. */
function deviations(spec) {
  return fs
    .readdirSync(path.join(ROOT, EXAMPLES))
    .filter((name) => name.startsWith(`${spec}-`) && !name.endsWith('.rehearsal.yaml'))
    .map((name) => [name.replace('-', ' §').replace(/[a-z]?\.yaml$/, ''), name])
    .sort((left, right) => inOrder(left, right) || (left[1] < right[1] ? -1 : 1))
    .flatMap(([section, name]) => {
      const text = fs.readFileSync(path.join(ROOT, EXAMPLES, name), 'utf8');
      const changes = [...text.matchAll(CHANGE)].map(([, what, why]) => [what, why]);
      if (changes.length === 0) changes.push(['nothing', '']);
      return changes.map(
        ([what, why], i) =>
          `| ${i === 0 ? section : ''} | ${cell(what)} | ${cell(why)} | [${name}](../../${EXAMPLES}/${name}) |`,
      );
    });
}

function parts(tag) {
  return tag.match(/\d+/g).map(Number);
}

function inOrder([a], [b]) {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function cell(title) {
  const plain = title.replace(/^S[1-5] §[\d.]+:? */, '');
  return plain.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function page() {
  const tagged = [...collect()];
  const sections = Object.entries(SPECS).flatMap(([spec, title]) => {
    const rows = tagged
      .filter(([tag]) => tag.startsWith(`${spec} `))
      .sort(inOrder)
      .flatMap(([tag, tests]) =>
        tests.map(
          ({ file, title: name }, i) =>
            `| ${i === 0 ? tag : ''} | ${cell(name)} | [${path.basename(file)}](../../${file}) |`,
        ),
      );
    if (rows.length === 0) return [];
    const changed = deviations(spec);
    return [
      `## ${title}\n\n| section | test | file |\n|---|---|---|\n${rows.join('\n')}`,
      ...(changed.length === 0
        ? []
        : [
            `### Changed in the examples of ${spec}\n\n| section | changed | because | playbook |\n|---|---|---|---|\n${changed.join('\n')}`,
          ]),
    ];
  });
  const intro =
    'Which test shows what of the [specifications](../design/specifications.md), cited by their marks there. `test/spec` holds the YAML examples of the specifications, by section,\n' +
    'with the least around each that makes it a playbook, and a [rehearsal](../rehearsals.md) that states its events and\n' +
    'final state. An example that stands whole in a specification runs as it is there; what had to be changed is listed\n' +
    'behind the tests of each specification. (The texts of S3, S4 and S5 have lost their indentation, which is restored.)';
  return `<!-- Made from the titles of tests by \`node scripts/conformance.mjs\`; do not edit. -->\n\n# Conformance\n\n${intro}\n\n${sections.join('\n\n')}\n`;
}

const made = page();
if (process.argv.includes('--check')) {
  if (!fs.existsSync(PAGE) || fs.readFileSync(PAGE, 'utf8') !== made) {
    process.stderr.write(
      'docs/reference/conformance.md is not what the tests say: node scripts/conformance.mjs\n',
    );
    process.exit(1);
  }
} else fs.writeFileSync(PAGE, made);
