/** What this machine can enforce, found out by doing it. */
import { spawn, type StdioOptions } from 'node:child_process';
import fs from 'node:fs';
import { messageOf } from '../../../src/language/errors';
import { ToolError } from '../tool/outcome';
import { TailBuffer } from '../tool/bounded';
import { bubblewrap, FILTER_DESCRIPTOR, limitCommands, openFilter } from './bubblewrap';
import { type Isolation } from './level';
import { networkOf } from './network';
import { OUTSIDE, SHELL } from './programs';

const PROBE_LIMIT_MS = 10_000;
let works: Promise<string | undefined> | undefined;

/**
 * Why the machine cannot enforce a level; undefined if it can. What is found to work is remembered, a failure tried
 * again.
 *
 * @throws ToolError `SANDBOX_SETTING`
 */
export async function whyNot(level: Isolation): Promise<string | undefined> {
  works ??= probe().then((why) => {
    if (why !== undefined) works = undefined;
    return why;
  });
  return (await works) ?? withoutNetwork(level);
}

async function withoutNetwork(level: Isolation): Promise<string | undefined> {
  try {
    await networkOf(level);
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) throw error;
    return `${messageOf(error)}; \`standard\` needs slirp4netns and nftables, or NOETL_SANDBOX_NETWORK=worker, which leaves it the network of the worker`;
  }
}

/** Fails unless this machine enforces the level. @throws ToolError `SANDBOX_UNAVAILABLE` */
export async function assertEnforced(kind: string, level: Isolation): Promise<void> {
  const why = await whyNot(level);
  if (why === undefined) return;
  throw new ToolError({
    kind: 'validation',
    code: 'SANDBOX_UNAVAILABLE',
    message: `${kind}: this worker cannot enforce spec.sandbox: ${level}: ${why}; the task was not run (docs/isolation.md)`,
  });
}

/** Both shapes of a sandbox, with a network of its own: what fails in one of them, a task must not discover. */
async function probe(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`;
  try {
    const dividing = await run([...bubblewrap({ level: 'strict', mounts: [], divides: true }), '/bin/true']);
    if (dividing !== undefined) return dividing;
    const limits = [SHELL, '-c', limitCommands().join('; ')];
    return await run([...bubblewrap({ level: 'strict', mounts: [] }), ...limits]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 'bubblewrap is not installed (`apt-get install bubblewrap`)';
  }
}

/** @returns why it failed; undefined if it did not */
function run([program, ...args]: string[]): Promise<string | undefined> {
  const filter = openFilter();
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'ignore'];
  stdio[FILTER_DESCRIPTOR] = filter ?? 'ignore';
  const child = spawn(program!, args, { timeout: PROBE_LIMIT_MS, env: OUTSIDE, stdio });
  if (filter !== undefined) fs.closeSync(filter);
  const stderr = new TailBuffer(4096);
  child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const why =
        stderr.toString().trim().split('\n').at(-1) || `it ended with ${signal ?? `exit code ${code}`}`;
      resolve(code === 0 ? undefined : `bubblewrap cannot make namespaces here (${why})${inContainer(why)}`);
    });
  });
}

/** What the words of bubblewrap mean in a container, where they are about its settings rather than the machine's. */
function inContainer(why: string): string {
  const profile = 'its seccomp profile must allow them (docker/seccomp-sandbox.json)';
  const proc = '/proc must be unmasked (systempaths=unconfined, procMount: Unmasked)';
  if (/permissions to create new namespace|pivot_root/i.test(why)) return `; in a container, ${profile}`;
  return /mount proc/i.test(why) ? `; in a container, ${proc}` : '';
}
