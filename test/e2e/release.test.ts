/** What `npm run release` would publish from this checkout: the tarball and the build context of the image hold what they should. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/process';
import { nightlyGroup } from '../support/sampled';

test('a dry run of the release finds nothing wrong and changes nothing', () => {
  const status = (): string =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: ROOT, encoding: 'utf8' });
  const before = status();
  const builtAt = (): number => fs.statSync(path.join(ROOT, 'dist/.built')).mtimeMs;
  const built = builtAt();
  // What Python leaves beside a worker in Python is not published.
  const left = path.join(ROOT, 'playbooks/extensions/linear_fit/__pycache__');
  fs.mkdirSync(left, { recursive: true });
  fs.writeFileSync(path.join(left, 'worker.cpython-311.pyc'), '');
  const script = path.join(ROOT, 'scripts/release/release.mjs');
  const printed = execFileSync(process.execPath, [script, '--dry-run'], { cwd: ROOT, encoding: 'utf8' });
  expect(printed).toContain('dry run: nothing was changed');
  expect(status()).toBe(before);
  // Other tests run the build meanwhile: it is only replaced when it is older than the sources.
  expect(builtAt()).toBe(built);
});

nightlyGroup('the tarball in an empty folder', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-tarball-'));
  const installed = path.join(folder, 'node_modules', 'noetl-temporal');
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  /** Names of what npm would install beside it. */
  function dependencies(): string[] {
    const { packages } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    return Object.entries(packages)
      .filter(([place, { dev }]) => !dev && /^node_modules\/(@[^/]+\/)?[^/]+$/.test(place))
      .map(([place]) => place.slice('node_modules/'.length));
  }

  /** As `npm install` leaves it, without asking a registry: its own packages are those of this checkout. */
  beforeAll(() => {
    const script = path.join(ROOT, 'scripts/release/release.mjs');
    execFileSync(process.execPath, [script, 'pack', folder], { cwd: ROOT, stdio: 'pipe' });
    const [tarball] = fs.readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    fs.mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['xzf', path.join(folder, tarball!), '-C', installed, '--strip-components=1']);
    for (const name of dependencies()) {
      const place = path.join(folder, 'node_modules', name);
      const own = path.join(ROOT, 'node_modules', name);
      if (!fs.existsSync(own)) continue;
      fs.mkdirSync(path.dirname(place), { recursive: true });
      fs.symlinkSync(own, place);
    }
    const bin = path.join(folder, 'node_modules', '.bin');
    fs.mkdirSync(bin);
    fs.symlinkSync('../noetl-temporal/dist/src/cli/main.js', path.join(bin, 'noetl-temporal'));
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true}');
  });

  const npx = (...args: string[]): string =>
    execFileSync('npx', ['--no-install', 'noetl-temporal', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('has what a user deploys, reports to nobody, and names no place of the machine that built it', () => {
    expect(fs.readdirSync(path.join(installed, 'deploy')).sort()).toEqual(['helm', 'prometheus']);
    expect(dependencies()).not.toContain('@scarf/scarf');
    const files = fs.readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const naming = files.filter((name) => {
      const place = path.join(installed, name);
      return fs.statSync(place).isFile() && fs.readFileSync(place).includes(`${ROOT}/`);
    });
    expect(naming).toEqual([]);
    expect(files.length).toBeGreaterThan(1000);
  });

  test('has no link that leads nowhere, and few bytes', () => {
    const { deadEnds } = jest.requireActual<{
      deadEnds(folder: string, files: readonly string[], pages: readonly string[]): string[];
    }>('../../scripts/release/links.cjs');
    const files = fs
      .readdirSync(installed, { recursive: true, encoding: 'utf8' })
      .filter((name) => fs.statSync(path.join(installed, name)).isFile());
    const pages = files.filter((name) => name.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(60);
    expect(deadEnds(installed, files, pages)).toEqual([]);
    const [tarball] = fs.readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    expect(fs.statSync(path.join(folder, tarball!)).size).toBeLessThan(7_500_000);
  });

  test('is a command that validates, rehearses and runs, and a library', () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(npx('--version').trim()).toBe(version);
    const hello = path.join('node_modules', 'noetl-temporal', 'playbooks', 'hello_world');
    expect(npx('validate', `${hello}.yaml`)).toContain('✓');
    expect(npx('test', `${hello}.rehearsal.yaml`)).toContain('passed');
    const data = path.join(folder, 'data');
    const run = npx('run', `${hello}.yaml`, '--json', '--data', data, '--set', 'name=Ada');
    expect(JSON.parse(run)).toMatchObject({ status: 'completed', result: { message: 'Hello, Ada!' } });
    const code = `const { compile } = require('noetl-temporal'); console.log(compile('x: 1').diagnostics.length > 0)`;
    expect(execFileSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' }).trim()).toBe(
      'true',
    );
  });
});
