/** `doctor`: which sandboxes this machine can enforce, and what they leave open. */
import {
  filtersCalls,
  limitsOf,
  networkPolicy,
  programOf,
  weakestLevel,
  whyNot,
} from '../../../activities/framework/sandbox';
import { runProgram } from '../../temporal/client';
import { type Observed } from './finding';

/** @throws ToolError `SANDBOX_SETTING` */
export async function sandbox(): Promise<Observed> {
  const weakest = weakestLevel();
  const [noStrict, noStandard] = [await whyNot('strict'), await whyNot('standard')];
  const required =
    weakest === 'none' ? 'not required (NOETL_SANDBOX)' : `${weakest} required (NOETL_SANDBOX)`;
  const status = weakest === 'none' ? 'note' : 'missing';
  if (noStrict !== undefined) {
    return {
      status,
      message: `none can be enforced, ${required}: ${noStrict}`,
      fix: [
        `tasks that need one fail with SANDBOX_UNAVAILABLE${weakest === 'none' ? '; others run as the worker does' : ''}`,
      ],
    };
  }
  const version = await runProgram(programOf('bwrap'), ['--version'], { timeoutMs: 10_000 });
  const how = `(${version.stdout.trim()}), ${required}; limits of a task: ${limits()}`;
  if (noStandard === undefined)
    return { status: 'ok', message: `standard and strict ${how}`, fix: notEnforced() };
  return {
    status: weakest === 'standard' ? 'missing' : 'note',
    message: `strict ${how}; standard cannot be enforced: ${noStandard}`,
    fix: ['tasks that need standard fail with SANDBOX_UNAVAILABLE', ...notEnforced()],
  };
}

function limits(): string {
  const { memoryMb, processes, tmpMb } = limitsOf();
  const all = [`${memoryMb} MB for each process`, `${tmpMb} MB of files`];
  return [...all, ...(isRoot() ? [] : [`${processes} processes`])].join(', ');
}

function notEnforced(): string[] {
  const network =
    networkPolicy() === 'worker'
      ? 'not enforced in `standard`: its network is that of the worker, with link-local addresses and local ports (NOETL_SANDBOX_NETWORK=worker)'
      : 'not enforced in `standard`: its network is IPv4 without this machine, link-local addresses, and what the settings of the worker name; the rest is reachable, also in private networks (NOETL_SANDBOX_DENY)';
  return [
    network,
    'not enforced in either: memory is limited by process, not by task',
    ...(filtersCalls() ? [] : [`not enforced here: system calls are not filtered on ${process.arch}`]),
    ...(isRoot()
      ? [
          'not enforced here: the number of processes, because this is root; run workers as a user of their own',
        ]
      : []),
  ];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
