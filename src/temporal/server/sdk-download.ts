/**
 * The Temporal SDK's own download of the CLI, in a separate process, because the native call cannot be aborted
 * otherwise.
 */
import fs from 'node:fs';
import path from 'node:path';
import { publish, withScratch } from './cache';
import { runProgram } from './command';

/** The SDK chooses the version ("default"), so the name states the origin. */
export function cachedSdkProgram(cache: string): string {
  return path.join(cache, 'bin', 'temporal-sdk');
}

/** The SDK downloads only when it starts a server, so one is started and stopped. */
const SCRIPT = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const { Runtime, DefaultLogger } = require(process.argv[2]);
Runtime.install({ logger: new DefaultLogger('ERROR', () => {}) });
TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir: process.argv[3], ttl: '1 day' } },
}).then((env) => env.teardown()).then(() => process.exit(0), (error) => {
  process.stderr.write(String(error.message).split('\\n')[0]);
  process.exit(1);
});`;

/**
 * @param limitMs for both download and first start
 * @throws Error with one sentence if it was not available in time
 */
export async function fetchWithSdk(cache: string, limitMs: number): Promise<string> {
  return withScratch(cache, async (folder) => {
    const modules = [require.resolve('@temporalio/testing'), require.resolve('@temporalio/worker')];
    const done = await runProgram(process.execPath, ['-e', SCRIPT, ...modules, folder], {
      timeoutMs: limitMs,
    });
    const program = downloadedProgram(folder);
    if (done.code === 0 && program) return publish(program, cachedSdkProgram(cache));
    if (done.timedOut) throw new Error(`not done after ${limitMs / 1000} s`);
    throw new Error(done.stderr.trim().split('\n')[0] || 'the SDK left no program behind');
  });
}

/** The program among the files downloaded by the SDK, whose name depends on the version. */
export function downloadedProgram(folder: string): string | undefined {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        entry.name.startsWith('temporal') &&
        !/\.(tar|gz|zip|tmp|downloading)$/.test(entry.name),
    )
    .map((entry) => path.join(folder, entry.name))
    .find((file) => fs.statSync(file).size > 0);
}
