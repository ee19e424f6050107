/** `doctor`: which sandboxes this machine can enforce, and what they leave open. */
import { limitsOf, weakestLevel, whyNot } from '../../../activities/framework/sandbox';
import { runProgram } from '../../temporal';
import { type Found } from './finding';

export async function sandbox(): Promise<Found> {
  const weakest = weakestLevel();
  const why = await whyNot();
  const required =
    weakest === 'none' ? 'not required (NOETL_SANDBOX)' : `${weakest} required (NOETL_SANDBOX)`;
  if (why !== undefined) {
    return {
      status: weakest === 'none' ? 'note' : 'missing',
      found: `none can be enforced, ${required}: ${why}`,
      fix: [
        `tasks that need one fail with SANDBOX_UNAVAILABLE${weakest === 'none' ? '; others run as the worker does' : ''}`,
      ],
    };
  }
  const version = await runProgram('bwrap', ['--version'], { timeoutMs: 10_000 });
  const { memoryMb, processes, tmpMb } = limitsOf();
  const isRoot = process.getuid?.() === 0;
  const limits = [`${memoryMb} MB for each process`, `${tmpMb} MB of files`];
  if (!isRoot) limits.push(`${processes} processes`);
  return {
    status: 'ok',
    found: `standard and strict (${version.stdout.trim()}), ${required}; limits of a task: ${limits.join(', ')}`,
    fix: [
      'not enforced in `standard`: its network is that of the worker, with link-local addresses and local ports; `strict` has none',
      'not enforced in either: system calls are not filtered; memory is limited by process, not by task',
      ...(isRoot
        ? [
            'not enforced here: the number of processes, because this is root; run workers as a user of their own',
          ]
        : []),
    ],
  };
}
