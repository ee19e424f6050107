// npm run release -- [VERSION | major | minor | patch] [--dry-run]
//   Moves what is unreleased in CHANGELOG.md to the version, sets it in package.json, the lock file and the Helm chart, checks
//   the tarball and the build context of the image, commits and tags. Pushing the tag starts .github/workflows/release.yml.
//   --dry-run does all of that in a folder of its own and leaves the repository as it is. Neither needs a network.
// npm run release -- freeze           records what this version promises, until it is tagged (freeze.mjs)
// npm run release -- pack FOLDER      writes the tarball to publish: links that leave it lead to the repository
// node scripts/release/release.mjs --notes VERSION     prints the section of CHANGELOG.md
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freeze } from './freeze.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(import.meta.url);
const plan = require('./plan.cjs');
const { deadEnds, outward } = require('./links.cjs');

/** Bytes of the tarball: more indicates that something was included by mistake. */
const MAX_TARBALL = 7_500_000;
const VERSIONED = [
  'package.json',
  'package-lock.json',
  'deploy/helm/noetl-temporal/Chart.yaml',
  'CHANGELOG.md',
];

const text = (file) => fs.readFileSync(path.join(root, file), 'utf8');
const run = (program, args, cwd = root) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const lines = (output) => output.split('\n').filter(Boolean);

/** The changed files, with their new contents. */
function changes(version) {
  const date = new Date().toISOString().slice(0, 10);
  const become = [
    (json) => plan.withVersion(json, version),
    (json) => plan.withVersion(json, version),
    (yaml) => plan.chartWithVersion(yaml, version),
    (markdown) => plan.releasedChangelog(markdown, version, date),
  ];
  return Object.fromEntries(VERSIONED.map((file, at) => [file, become[at](text(file))]));
}

/** Source files read by the program at run time, as named in the package. */
function runtimeFiles() {
  const copied = lines(
    run('git', ['ls-files', 'src/server/store/migrations', 'activities/kinds/python/*.py']),
  );
  const sources = copied.filter((file) => /\.(sql|py)$/.test(file)).map((file) => `dist/${file}`);
  return [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'docs/README.md',
    'playbooks/hello_world.yaml',
    'dist/workflow-bundle.js',
    ...sources,
  ];
}

/** Packs the repository with the changed files, in a separate folder. @returns the tarball and its contents */
function pack(changed, folder) {
  const manifest = JSON.parse(changed['package.json']);
  const given = ['deploy', 'dist', 'docs', 'playbooks', 'README.md', 'LICENSE'];
  for (const entry of given) fs.cpSync(path.join(root, entry), path.join(folder, entry), { recursive: true });
  for (const file of ['package.json', 'CHANGELOG.md'])
    fs.writeFileSync(path.join(folder, file), changed[file]);
  const files = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--dry-run'], folder))[0].files;
  const paths = files.map((file) => file.path);
  const source = `${manifest.repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${manifest.version}`;
  const pages = paths.filter((file) => file.endsWith('.md'));
  for (const page of pages) {
    const place = path.join(folder, page);
    fs.writeFileSync(place, outward(page, fs.readFileSync(place, 'utf8'), new Set(paths), source));
  }
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts'], folder));
  const problems = [
    ...plan.tarballProblems(paths, manifest, runtimeFiles()),
    ...deadEnds(folder, paths, pages),
  ];
  if (packed.size > MAX_TARBALL)
    problems.push(`the tarball has ${packed.size} bytes, more than ${MAX_TARBALL}`);
  return { packed, problems };
}

function tell(title, items) {
  process.stdout.write(`${title}\n${items.map((item) => `  ${item}\n`).join('')}`);
}

async function main() {
  const options = { 'dry-run': { type: 'boolean' }, notes: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.notes) {
    const notes = plan.sectionOf(text('CHANGELOG.md'), values.notes);
    if (!notes) throw new plan.ReleaseError(`CHANGELOG.md has no section of ${values.notes}`);
    return void process.stdout.write(`${notes}\n`);
  }
  if (positionals[0] === 'freeze')
    return freeze(root, JSON.parse(text('package.json')).version, (said) => new plan.ReleaseError(said));
  if (positionals[0] === 'pack') return packInto(path.resolve(positionals[1] ?? '.'));
  const dry = values['dry-run'] === true;
  const unclean = lines(run('git', ['status', '--porcelain', '--untracked-files=no']));
  if (!dry && unclean.length > 0) throw new plan.ReleaseError(`commit first:\n${unclean.join('\n')}`);
  const version = plan.versionToRelease(
    JSON.parse(text('package.json')).version,
    text('CHANGELOG.md'),
    positionals[0],
  );
  const changed = changes(version);
  run(process.execPath, ['scripts/build.mjs', '--if-stale']);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-release-'));
  try {
    const { packed, problems } = pack(changed, folder);
    const rooms = groupByRoom(packed.files);
    const contents = [...rooms].map(([room, files]) => `${room}: ${files.length} files, ${kilobytes(files)}`);
    tell(
      `noetl-temporal ${version}`,
      VERSIONED.map((file) => `${file} ${dry ? 'would change' : 'changes'}`),
    );
    tell(
      `${packed.filename}: ${packed.entryCount} files, ${kilobytes([packed])} (${packed.integrity.slice(0, 30)}…)`,
      contents,
    );
    const tracked = lines(run('git', ['ls-files']));
    const image = plan.imageContext(
      tracked,
      text('docker/Dockerfile.dockerignore'),
      text('docker/Dockerfile'),
    );
    const sizes = image.sent.map((file) => fs.lstatSync(path.join(root, file)));
    tell(`image context: ${image.sent.length} of ${tracked.length} files, ${kilobytes(sizes)}`, []);
    tell('release notes', lines(plan.sectionOf(changed['CHANGELOG.md'], version)).slice(0, 8).concat('…'));
    const wrong = [...problems, ...image.problems, ...plan.missingImports(image.sent, text)];
    if (wrong.length > 0) throw new plan.ReleaseError(`this cannot be released:\n${wrong.join('\n')}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (dry) return tell('dry run: nothing was changed', []);
  for (const [file, become] of Object.entries(changed)) fs.writeFileSync(path.join(root, file), become);
  run('git', ['commit', '--quiet', '--message', `Release ${version}`, '--', ...VERSIONED]);
  run('git', ['tag', '--annotate', `v${version}`, '--message', `noetl-temporal ${version}`]);
  tell(`committed and tagged v${version}; git push --follow-tags releases it`, []);
}

/** The package as it is now, not as a release would change it. */
function packInto(target) {
  run(process.execPath, ['scripts/build.mjs', '--if-stale']);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pack-'));
  try {
    const { packed, problems } = pack(
      Object.fromEntries(VERSIONED.map((file) => [file, text(file)])),
      folder,
    );
    if (problems.length > 0) throw new plan.ReleaseError(`this cannot be released:\n${problems.join('\n')}`);
    fs.mkdirSync(target, { recursive: true });
    fs.copyFileSync(path.join(folder, packed.filename), path.join(target, packed.filename));
    process.stdout.write(`${path.join(target, packed.filename)}\n`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function groupByRoom(files) {
  const rooms = new Map();
  for (const file of files) {
    const room = file.path.split('/')[0];
    rooms.set(room, [...(rooms.get(room) ?? []), file]);
  }
  return rooms;
}

function kilobytes(files) {
  return `${Math.ceil(files.reduce((sum, { size }) => sum + size, 0) / 1000)} kB`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof plan.ReleaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
