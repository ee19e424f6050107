/**
 * An upgrade from the newest release: from its tag, or before there is one, from the tarball that would be published. The
 * processes of the release are replaced one after the other while executions of all sorts run (`npm run upgrade -- --once`).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/process';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-upgrade-from-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const output = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

function newestRelease(): string {
  const [tag] = output('git', 'tag', '--list', 'v*', '--sort=-version:refname').split('\n');
  return tag || output(process.execPath, 'scripts/release/release.mjs', 'pack', folder);
}

test('executions that began on the release are finished by this tree, which replaced each of its processes once', () => {
  const load = ['--once', '--seconds', '30', '--executions', '25', '--every', '1'];
  const main = path.join(ROOT, 'dist', 'test', 'upgrade', 'main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--from', newestRelease(), ...load], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  if (status !== 0) throw new Error(`exit ${String(status)}: ${`${stdout}${stderr}`.slice(-4000)}`);
  expect(stdout).toMatch(/: 7 swaps, \d+ histories replayed on each/);
  expect(stdout).toContain('no violation');
  expect(JSON.parse(/^executions (\{.*?\})/m.exec(stdout)![1]!)).toMatchObject({
    COMPLETED: expect.any(Number) as number,
  });
}, 1_200_000);
