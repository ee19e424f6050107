/** scripts/release: what a release changes in texts, and what it finds in lists of files. `npm run release -- --dry-run` does the rest. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/process';

interface Plan {
  versionToRelease(current: string, changelog: string, asked?: string): string;
  sectionOf(changelog: string, version: string): string | undefined;
  releasedChangelog(changelog: string, version: string, date: string): string;
  withVersion(json: string, version: string): string;
  chartWithVersion(yaml: string, version: string): string;
  tarballProblems(files: string[], manifest: object, needed: string[]): string[];
  imageContext(files: string[], ignored: string, dockerfile: string): { sent: string[]; problems: string[] };
  missingImports(sent: string[], read: (file: string) => string): string[];
}
const plan = jest.requireActual<Plan>('../../scripts/release/plan.cjs');
const text = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

const CHANGELOG = `# Changelog

## [Unreleased]

### Fixed

- A thing costs $1 & more.

## [1.2.0] - 2026-01-02

- Old.
`;

test('what is unreleased becomes the section of the version, and nothing else changes', () => {
  const released = plan.releasedChangelog(CHANGELOG, '1.3.0', '2026-11-23');
  expect(released).toBe(CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n## [1.3.0] - 2026-11-23\n'));
  expect(plan.sectionOf(released, '1.3.0')).toBe('### Fixed\n\n- A thing costs $1 & more.');
  expect(plan.sectionOf(released, '1.2.0')).toBe('- Old.');
  expect(plan.sectionOf(released, '1.2')).toBeUndefined();
  expect(() => plan.releasedChangelog(released, '1.4.0', '2026-11-24')).toThrow('nothing under Unreleased');
});

test('a section at the end of the file, as that of a first release', () => {
  const first = plan.releasedChangelog('# Changelog\n\n## [Unreleased]\n\n- All.\n', '0.1.0', '2026-11-23');
  expect(first).toBe('# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-23\n\n- All.\n');
});

test.each([
  ['0.1.0', undefined, '0.1.0'],
  ['1.2.0', 'patch', '1.2.1'],
  ['1.2.0', 'minor', '1.3.0'],
  ['1.2.0', 'major', '2.0.0'],
  ['1.2.0', '1.3.0-rc.1', '1.3.0-rc.1'],
])('of %s, asked for %s: %s', (current, asked, version) => {
  expect(plan.versionToRelease(current, CHANGELOG, asked)).toBe(version);
});

test.each([
  ['1.2.0', undefined, 'is released'],
  ['1.2.0', '1.2.0', 'does not come after'],
  ['1.2.0', '1.1.9', 'does not come after'],
  ['1.2.0', 'next', 'is no version'],
])('of %s, asked for %s: refused', (current, asked, why) => {
  expect(() => plan.versionToRelease(current, CHANGELOG, asked)).toThrow(why);
});

test('versions are set where they are ours, and nowhere else', () => {
  for (const file of ['package.json', 'package-lock.json']) {
    const before = JSON.parse(text(file)) as {
      version: string;
      packages?: Record<string, { version: string }>;
    };
    const after = JSON.parse(plan.withVersion(text(file), '9.8.7')) as typeof before;
    const { packages } = before;
    const expected = packages ? { packages: { ...packages, '': { ...packages[''], version: '9.8.7' } } } : {};
    expect(after).toEqual({ ...before, version: '9.8.7', ...expected });
  }
  const chart = plan.chartWithVersion(text('deploy/helm/noetl-temporal/Chart.yaml'), '9.8.7');
  expect(chart.match(/9\.8\.7/g)).toHaveLength(2);
});

test('what a release links to is its tag; a tree in between links to the branch', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-ref-'));
  const tree = (name: string, version: string, changelog: string): string => {
    const place = path.join(folder, name);
    fs.mkdirSync(place);
    fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ version }));
    fs.writeFileSync(path.join(place, 'CHANGELOG.md'), changelog);
    return place;
  };
  const released = plan.releasedChangelog(CHANGELOG, '1.3.0', '2026-11-23');
  const since = released.replace('[Unreleased]\n', '[Unreleased]\n\n- Since.\n');
  const trees = [
    tree('released', '1.3.0', released),
    tree('since', '1.3.0', since),
    tree('before', '1.2.0', CHANGELOG),
  ];
  // As the build bundles what runs in browsers and editors; neither modules of this sort nor esbuild run within jest.
  const script = `
    import { build } from 'esbuild';
    import { docsRef, linkedTo, withRef } from './scripts/docs-ref.mjs';
    const plugins = [linkedTo('v1.3.0')];
    const entryPoints = ['src/language/errors/docs.ts'];
    const { outputFiles } = await build({ entryPoints, plugins, bundle: true, minify: true, write: false, format: 'esm' });
    let refused = '';
    try { withRef('const DOCS_URL = 1;', 'v1.3.0'); } catch (error) { refused = error.message; }
    console.log(JSON.stringify({ refs: ${JSON.stringify(trees)}.map(docsRef), bundled: outputFiles[0].text, refused }));`;
  const args = ['--input-type=module', '-e', script];
  const answer = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(answer)).toEqual({
    refs: ['v1.3.0', 'main', 'main'],
    bundled: expect.stringContaining('/blob/v1.3.0/docs') as string,
    refused: expect.stringContaining('no address') as string,
  });
  fs.rmSync(folder, { recursive: true });
});

test('a tarball without an entry, or with what nobody needs or may see, is refused', () => {
  const manifest = {
    bin: { tool: 'dist/main.js' },
    exports: { '.': { types: './dist/a.d.ts', default: './dist/a.js' } },
  };
  const whole = ['dist/main.js', 'dist/a.d.ts', 'dist/a.js', 'LICENSE', 'dist/store/test-suites/a.js'];
  expect(plan.tarballProblems(whole, manifest, ['LICENSE'])).toEqual([]);
  expect(plan.tarballProblems(whole.slice(1), { ...manifest, private: true }, ['NOTICE'])).toEqual([
    'package.json says private: npm would not publish it',
    'dist/main.js is missing',
    'NOTICE is missing',
  ]);
  const unwanted = [
    'dist/a.test.js',
    'dist/a.js.map',
    'docs/.env',
    'playbooks/tls.pem',
    'playbooks/.noetl/x',
    'dist/bench/main.js',
    'dist/test/chaos/main.js',
  ];
  expect(plan.tarballProblems([...whole, ...unwanted], manifest, [])).toHaveLength(unwanted.length);
});

test('the image is built from what its Dockerfile copies, without secrets and what was built here', () => {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);
  const here = [
    ...tracked,
    '.env',
    'dist/src/cli/main.js',
    'node_modules/yaml/package.json',
    '.noetl/secrets.key',
  ];
  const context = plan.imageContext(here, text('docker/Dockerfile.dockerignore'), text('docker/Dockerfile'));
  expect(context.problems).toEqual([]);
  expect(context.sent).toEqual(
    expect.arrayContaining(['src/cli/main.ts', 'scripts/build.mjs', 'package-lock.json']),
  );
  const sources = context.sent.filter((file) => !here.slice(tracked.length).includes(file));
  expect(plan.missingImports(sources, text)).toEqual([]);
  expect(plan.missingImports(['a/b.ts'], () => "import { c } from '../test/c';\n")).toEqual([
    'a/b.ts imports ../test/c: it is not in the context',
  ]);
  const unwanted = ['.env', 'dist/src/cli/main.js', 'node_modules/yaml/package.json', '.noetl/secrets.key'];
  expect(plan.imageContext(unwanted, '', 'COPY gone.json ./\nCOPY --from=build /a ./').problems).toEqual([
    'COPY gone.json: it is not in the context',
    ...unwanted.map((file) => `${file} must not be in the context`),
  ]);
});

test('links are followed in pages of both sorts; those that leave a package lead to the repository', () => {
  const { deadEnds, outward } = jest.requireActual<{
    deadEnds(folder: string, files: string[]): string[];
    outward(page: string, text: string, files: ReadonlySet<string>, source: string): string;
  }>('../../scripts/release/links.cjs');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-links-'));
  const pages = {
    'README.md':
      '[a](docs/a.md#two-words) [folder](docs) [gone](docs/b.md) `[code](x.md)` [web](https://x.y)',
    'docs/a.md': '# A\n\n## Two words\n\n[up](../README.md) [self](#two-words) [none](#three)',
    'docs/site/index.html':
      '<h2 id="x"></h2><a href="/docs/site/#x">1</a><a href="/docs/site/?q=1#y">2</a><img src="z.svg">',
  };
  for (const [file, text] of Object.entries(pages)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  expect(deadEnds(folder, Object.keys(pages))).toEqual([
    'README.md: there is no docs/b.md',
    'docs/a.md: docs/a.md has no heading #three',
    'docs/site/index.html: docs/site/index.html has no heading #y',
    'docs/site/index.html: there is no docs/site/z.svg',
  ]);
  fs.rmSync(folder, { recursive: true });
  const text = '[a](docs/a.md) [test](../test/x.ts#l) [contributing](../CONTRIBUTING.md) ![](i.png)';
  const present = new Set(['docs/docs/a.md', 'docs/i.png']);
  expect(outward('docs/b.md', text, present, 'https://git/blob/v1')).toBe(
    '[a](docs/a.md) [test](https://git/blob/v1/test/x.ts#l) [contributing](https://git/blob/v1/CONTRIBUTING.md) ![](i.png)',
  );
});
