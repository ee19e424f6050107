/**
 * A newcomer's path on a machine with nothing but Node, npm and Python: what README and docs/install.md say to type, from the
 * tarball that would be published, on each Node of `engines` that is here (NOETL_TEST_NODES names more: paths of `node`).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { present } from '../support/present';
import { ROOT } from '../support/process';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-newcomer-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const NODES = [
  ...new Set([process.execPath, ...(process.env['NOETL_TEST_NODES'] ?? '').split(path.delimiter)]),
].filter(Boolean);
const versionOf = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
const npmCli = path.join(
  execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim(),
  'npm',
  'bin',
);

let tarball: string;
beforeAll(() => {
  const script = path.join(ROOT, 'scripts/release/release.mjs');
  const made = execFileSync(process.execPath, [script, 'pack', folder], { cwd: ROOT, encoding: 'utf8' });
  tarball = made.trim();
}, 300_000);

/** A home and a PATH of its own, with the Node and npm; the caches of npm and of Temporal's server are this machine's. */
function machine(node: string): (command: string, cwd?: string) => string {
  const home = fs.mkdtempSync(path.join(folder, 'home-'));
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(node, path.join(bin, 'node'));
  for (const name of ['npm', 'npx'])
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nexec "${node}" "${npmCli}/${name}-cli.js" "$@"\n`, {
      mode: 0o755,
    });
  // How this machine reaches the network is none of a newcomer's settings.
  const network = Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(network),
    HOME: home,
    PATH: [bin, path.join(home, 'global', 'bin'), '/usr/bin', '/bin'].join(path.delimiter),
    npm_config_prefix: path.join(home, 'global'),
    npm_config_cache: process.env['npm_config_cache'] ?? path.join(os.homedir(), '.npm'),
    XDG_CACHE_HOME: path.join(os.homedir(), '.cache'),
    LANG: 'C.UTF-8',
  };
  return (command, cwd = home) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], {
      ...{ cwd, env, encoding: 'utf8' as const, timeout: 900_000, maxBuffer: 64 * 2 ** 20 },
    });
    if (status !== 0)
      throw new Error(`${command}: ${status}\n${stdout.slice(-3000)}\n${stderr.slice(-3000)}`);
    return stdout;
  };
}

test.each(NODES)(
  'npm install --global of the tarball, and a first playbook, with %s',
  (node) => {
    if (!fs.existsSync(node)) present({ skipped: `no ${node} (NOETL_TEST_NODES)` });
    const type = machine(node);
    expect(type('node --version').trim()).toBe(versionOf(node));
    type(`npm install --global --no-audit --no-fund ${tarball}`);
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(type('noetl-temporal --version').trim()).toBe(version);
    expect(type('noetl-temporal init first && noetl-temporal validate first')).toContain('✓');
    const hello = `"$(npm root --global)/noetl-temporal/playbooks/hello_world.yaml"`;
    const ran = type(`noetl-temporal run ${hello} --json --set name=Ada`);
    expect(JSON.parse(ran)).toMatchObject({ status: 'completed', result: { message: 'Hello, Ada!' } });
    type(
      'mkdir app && cd app && npm init --yes && npm install --no-audit --no-fund --omit=optional ' + tarball,
    );
    const code = `const { compile } = require("noetl-temporal"); console.log(compile("x: 1").diagnostics.length > 0)`;
    expect(type(`cd app && node -e '${code}'`).trim()).toBe('true');
  },
  1_800_000,
);

test("README's two commands in a fresh clone", () => {
  const commands = /^npm ci && npm start -- run playbooks\/hello_world\.yaml$/m.exec(
    fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8'),
  );
  expect(commands).not.toBeNull();
  const clone = path.join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]);
  const type = machine(process.execPath);
  expect(type(commands![0], clone)).toMatch(/"message": "Hello, World!"/);

  // Released from there, as the workflow does it: what is published links to its own tag, in every bundle.
  const { version } = JSON.parse(fs.readFileSync(path.join(clone, 'package.json'), 'utf8')) as {
    version: string;
  };
  type(
    `git config user.name Ada && git config user.email ada@example.com && npm run release && npm run release -- pack ../released`,
    clone,
  );
  type(`mkdir published && tar xzf "${folder}"/released/*.tgz -C published`, clone);
  const dist = path.join(clone, 'published/package/dist');
  const linking = fs
    .readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.js$/.test(name))
    .map((name) => fs.readFileSync(path.join(dist, name), 'utf8'));
  const linksTo = (ref: string): number =>
    linking.filter((text) => text.includes(`/blob/${ref}/docs`)).length;
  expect(linksTo(`v${version}`)).toBeGreaterThan(2);
  expect(linksTo('main')).toBe(0);
}, 1_800_000);
