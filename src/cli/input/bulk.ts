/** The options of commands that take one execution, or many of them with `--where`. */
import { type Command } from 'commander';
import { type BulkOptions, type BulkVerb } from '../../language/plan';
import { compact } from '../../language/plan/compact';
import { secondsOf } from '../../language/plan/seconds';
import { UsageError } from '../errors';
import { type RemoteFlags } from '../runtime/port';

export interface BulkFlags {
  where?: string;
  dryRun?: boolean;
  yes?: boolean;
  rate: string;
  detach?: boolean;
}

/** A command whose argument may be replaced by `--where`. */
export function withBulkOptions(command: Command): Command {
  return command
    .option(
      '--where <conditions>',
      'all executions that match, e.g. "path=etl/* status=failed code=HTTP_5* since=2d"',
    )
    .option('--dry-run', 'with --where: only show which executions are meant, by cause')
    .option('--yes', 'with --where: do not ask')
    .option('--rate <n/s>', 'with --where: executions per second, at most 100', '10/s')
    .option('--detach', 'with --where and --server: do not wait for the end');
}

interface BulkArguments extends BulkFlags, RemoteFlags {
  playbook?: string;
}

/**
 * Handles `--where`.
 *
 * @param given what was named instead: executions or files
 * @returns the exit code; undefined if the command is for one execution
 * @throws UsageError for neither or both, and for options of `--where` without it
 */
export async function bulkOrOne(
  verb: BulkVerb,
  given: readonly string[],
  flags: BulkArguments,
  options: BulkOptions = {},
): Promise<number | undefined> {
  const { where, rate, data, server, json, playbook, dryRun, yes, detach } = flags;
  if (where === undefined) {
    const stray = (['dryRun', 'yes', 'detach'] as const).find((name) => flags[name]);
    if (stray) throw new UsageError(`--${stray === 'dryRun' ? 'dry-run' : stray} needs --where`);
    if (given.length === 0)
      throw new UsageError(`name an execution, or several with --where "status=failed since=2d"`);
    return undefined;
  }
  if (given.length > 0)
    throw new UsageError(`${given.join(' ')} and --where both name executions: remove one`);
  const { facadeNamed } = await import('../runtime/port/index.js');
  if (detach && facadeNamed({ data, server }) === undefined)
    throw new UsageError('--detach needs --server: without one, this command does the work');
  const { carryOutBulk } = await import('../runtime/bulk/carry-out.js');
  return await carryOutBulk(
    { verb, where, rate: perSecond(rate), options, ...compact({ playbook }) },
    { data, server, json, dryRun, yes, detach },
  );
}

const HIGHEST = 100;

/** `10`, `10/s`, `30/m` */
function perSecond(text: string): number {
  const [, count = '', unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([smh]))?$/.exec(text.trim()) ?? [];
  const rate = Number(count) / (secondsOf(`1${unit}`) ?? 1);
  if (count === '' || rate <= 0 || rate > HIGHEST)
    throw new UsageError(`--rate ${text}: expected a rate such as 10/s or 30/m, at most ${HIGHEST}/s`);
  return rate;
}
