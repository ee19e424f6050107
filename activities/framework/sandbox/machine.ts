/** What this machine can enforce, found out by doing it. */
import { execFile } from 'node:child_process';
import { messageOf } from '../../../src/errors';
import { ToolError } from '../tool/outcome';
import { bubblewrap, limited } from './bubblewrap';
import { type Isolation } from './level';
import { networkOf } from './network';

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
  const dividing = await run([...bubblewrap({ level: 'strict', mounts: [], divides: true }), '/bin/true']);
  return dividing ?? run([...bubblewrap({ level: 'strict', mounts: [] }), ...limited(['/bin/true'])]);
}

function run([program, ...args]: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      program!,
      args,
      { timeout: PROBE_LIMIT_MS, env: { PATH: process.env['PATH'] } },
      (error, _out, stderr) => {
        if (!error) resolve(undefined);
        else if (error.code === 'ENOENT')
          resolve('bubblewrap is not installed (`apt-get install bubblewrap`)');
        else
          resolve(
            `bubblewrap cannot make namespaces here (${stderr.trim().split('\n').at(-1) || error.message})`,
          );
      },
    );
  });
}
