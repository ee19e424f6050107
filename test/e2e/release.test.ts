/** What `npm run release` would publish from this checkout: the tarball and the build context of the image hold what they should. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../support/process';

test('a dry run of the release finds nothing wrong and changes nothing', () => {
  const status = (): string =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: ROOT, encoding: 'utf8' });
  const before = status();
  const script = path.join(ROOT, 'scripts/release/release.mjs');
  const printed = execFileSync(process.execPath, [script, '--dry-run'], { cwd: ROOT, encoding: 'utf8' });
  expect(printed).toContain('dry run: nothing was changed');
  expect(status()).toBe(before);
});
