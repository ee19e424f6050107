import { Command } from 'commander';
import { UsageError } from '../errors';
import { milliseconds, wholeNumber } from '../input/number';
import { sayIfAway } from '../runtime/server-away';
import { encryptOption, healthOf, healthOptions } from '../input/options';

interface Flags {
  kinds?: string;
  workflows?: boolean;
  pool?: string;
  playbooks?: string;
  concurrency?: string;
  rate?: string;
  healthPort?: string;
  healthHost: string;
  grace: string;
  storage?: string;
  buildId?: string;
  deployment?: string;
  versioning?: string;
}

/** `worker`: serves task queues of a Temporal server until SIGTERM. */
export function workerCommand(): Command {
  const [port, host] = healthOptions('/health/live, /health/ready and /metrics');
  return new Command('worker')
    .description('run tasks and workflows of the server at TEMPORAL_ADDRESS (default 127.0.0.1:7233)')
    .option('--kinds <list>', 'tool kinds, e.g. http,postgres; `all` for every kind')
    .option('--workflows', 'also run workflows')
    .option('--pool <name>', 'serve the queues of this pool (noetl-<pool>-<kind>)')
    .option('--playbooks <list>', 'serve the playbooks of these folders as sub-playbooks')
    .option(
      '--concurrency <n>',
      'concurrent tasks in this process: for every kind (50), or by kind (http=200,python=8); default: a number that suits the kind',
    )
    .option(
      '--rate <list>',
      'tasks started per second by all workers of a queue, by kind: http=50,snowflake=0.5',
    )
    .option(
      '--storage <url>',
      'location of results too large for history, the same for all workers: s3://…, gs://…, postgres://…, file:///shared, none ' +
        '(default: NOETL_STORAGE)',
    )
    .option(
      '--build-id <id>',
      'the build of this release, for worker versioning (default: NOETL_BUILD_ID; none)',
    )
    .option(
      '--deployment <name>',
      'the deployment that the build belongs to (default: NOETL_DEPLOYMENT or noetl)',
    )
    .option(
      '--versioning <behavior>',
      'which build continues an execution: `auto-upgrade`, the current one; `pinned`, the one that started it ' +
        '(default: NOETL_VERSIONING or auto-upgrade)',
    )
    .addOption(port)
    .addOption(host)
    .option('--grace <time>', 'how long running tasks can take to finish after SIGTERM', '30s')
    .addOption(encryptOption())
    .action(async (flags: Flags) => {
      const options = {
        kinds: listOf(flags.kinds),
        workflows: flags.workflows === true,
        pool: flags.pool,
        playbooks: listOf(flags.playbooks),
        concurrency: concurrencyOf(flags.concurrency),
        ratePerSecond: flags.rate === undefined ? undefined : byKind('--rate', flags.rate, rateOf),
        storage: flags.storage,
        versioning: { buildId: flags.buildId, deployment: flags.deployment, behavior: flags.versioning },
        ...healthOf(flags),
        graceMs: milliseconds(flags.grace, '--grace'),
      };
      await sayIfAway();
      const { serveTasks } = await import('../runtime/serve-worker.js');
      process.exitCode = await serveTasks(options);
    });
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((kind) => kind.trim())
    .filter(Boolean);
}

function concurrencyOf(text: string | undefined): number | Record<string, number> | undefined {
  if (text === undefined) return undefined;
  if (!text.includes('=')) return wholeNumber(text, '--concurrency', 1);
  return byKind('--concurrency', text, (value, option) => wholeNumber(value, option, 1));
}

/** `http=200,python=8` */
function byKind(
  option: string,
  text: string,
  valueOf: (value: string, option: string) => number,
): Record<string, number> {
  return Object.fromEntries(
    listOf(text).map((one) => {
      const match = /^([\w-]+)=(.+)$/.exec(one);
      if (!match) throw new UsageError(`${option} ${text}: expected KIND=NUMBER, e.g. http=20,python=8`);
      return [match[1]!, valueOf(match[2]!, `${option} ${match[1]}:`)];
    }),
  );
}

function rateOf(text: string, option: string): number {
  const rate = Number(text);
  if (!(rate > 0 && Number.isFinite(rate)))
    throw new UsageError(`${option} ${text}: expected a number above 0`);
  return rate;
}
