/** Python programs of tests, each in a virtual environment of its own in the cache folder. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir } from '../../src/temporal/server/cache';
import { type Absent } from './present';

/**
 * The `bin` folder of an environment with these packages, made once.
 *
 * @param packages lines of a requirements file; the first names the environment
 * @returns a reason instead when PyPI cannot be reached
 * @throws Error for anything else that goes wrong
 */
export async function pythonVenv(packages: readonly string[]): Promise<{ bin: string } | Absent> {
  const venv = path.join(cacheDir(), 'test-servers', packages[0]!.split(' ')[0]!.replace(/\W+/g, '-'));
  const bin = path.join(venv, 'bin');
  const ready = path.join(venv, '.ready');
  if (fs.existsSync(ready)) return { bin };
  const release = await lock(`${venv}.lock`);
  try {
    if (fs.existsSync(ready)) return { bin };
    fs.rmSync(venv, { recursive: true, force: true });
    const made = spawnSync('python3', ['-m', 'venv', venv], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`python3 -m venv ${venv}: ${made.stderr}`);
    const requirements = path.join(venv, 'requirements.txt');
    fs.writeFileSync(requirements, `${packages.join('\n')}\n`);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    const said = spawnSync(path.join(bin, 'python'), pip, { encoding: 'utf8', timeout: 300_000 });
    if (
      said.status !== 0 &&
      /Could not find a version|connection|Temporary failure|timed out/i.test(said.stderr)
    )
      return { skipped: `PyPI cannot be reached: ${said.stderr.trim().split('\n').at(-1)}` };
    if (said.status !== 0) throw new Error(`pip install ${packages.join(' ')}: ${said.stderr}`);
    fs.writeFileSync(ready, '');
    return { bin };
  } finally {
    release();
  }
}

/** Test files run side by side, and two of them may want one environment. A lock of someone who died is old. */
async function lock(folder: string): Promise<() => void> {
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  for (;;) {
    try {
      fs.mkdirSync(folder);
      return () => fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      const made = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made > 330_000) fs.rmSync(folder, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
