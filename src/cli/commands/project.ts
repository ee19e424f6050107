import { Command } from 'commander';
import { UsageError } from '../errors';
import { wholeNumber } from '../input/number';
import { healthOf, healthOptions } from '../input/options';
import { type ProjectOptions } from '../runtime/project';

interface Flags extends Omit<ProjectOptions, 'once' | 'concurrency' | 'rebuild' | 'healthPort'> {
  once?: boolean;
  concurrency: string;
  rebuild?: string;
  healthPort?: string;
}

/** `project`: writes executions and their events to database tables and other systems. */
export function projectCommand(): Command {
  const [port, host] = healthOptions('/health/live and /health/ready');
  return new Command('project')
    .description(
      'write all executions of the namespace and their events to Postgres (noetl.event, noetl.execution, ' +
        'noetl.transient), and to other systems; resumes where it stopped',
    )
    .option(
      '--database <url>',
      'postgres://user:password@host/database (default: DATABASE_URL, or the Postgres of the data folder)',
    )
    .option('--once', 'process what exists and exit; by default, follow until SIGTERM')
    .option('--no-tables', 'store only the cursors of the other systems in the database')
    .option(
      '--notifications <file>',
      'whom to tell when executions fail, are late, … (default: NOETL_NOTIFICATIONS)',
    )
    .option('--cloudevents <url>', 'POST each event as a CloudEvent (bearer token: NOETL_CLOUDEVENTS_TOKEN)')
    .option('--openlineage <url>', 'send lineage to this URL (bearer token: NOETL_OPENLINEAGE_TOKEN)')
    .option('--concurrency <n>', 'executions read at once, per system', '32')
    .option('--json', 'with --once: print one JSON document')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option('--storage <url>', 'location of large values (default: NOETL_STORAGE, or the data folder)')
    .option(
      '--rebuild <ids>',
      'first forget what the tables have of these executions, separated by commas, and read them again (docs/backup.md)',
    )
    .option(
      '--retention <list>',
      'remove executions so long after their end, and their stored values: 90d, 6h, or "etl/hourly/*=7d,90d" (default: NOETL_RETENTION; without it they are kept)',
    )
    .addOption(port)
    .addOption(host)
    .action(async (flags: Flags) => {
      const concurrency = wholeNumber(flags.concurrency, '--concurrency', 1);
      checkSystems(flags);
      const health = healthOf(flags);
      const rebuild = rebuiltIds(flags.rebuild);
      const { project } = await import('../runtime/project.js');
      process.exitCode = await project({
        ...flags,
        ...health,
        rebuild,
        once: flags.once === true,
        concurrency,
      });
    });
}

/** @throws UsageError for wrong options of the systems that are written to */
function checkSystems(flags: Flags): void {
  checkUrl('--cloudevents', flags.cloudevents);
  checkUrl('--openlineage', flags.openlineage);
  if (!flags.tables && flags.notifications !== undefined)
    throw new UsageError('--notifications needs the tables: remove --no-tables');
  if (!flags.tables && flags.cloudevents === undefined && flags.openlineage === undefined)
    throw new UsageError('--no-tables: nothing to do; add --cloudevents or --openlineage');
}

function rebuiltIds(text: string | undefined): string[] {
  const ids = (text ?? '').split(',').map((one) => one.trim());
  const wrong = ids.find((one) => one !== '' && !/^[1-9]\d{0,18}$/.test(one));
  if (wrong !== undefined) throw new UsageError(`--rebuild: ${wrong} is not an execution id`);
  return ids.filter((one) => one !== '');
}

function checkUrl(option: string, text: string | undefined): void {
  if (text === undefined) return;
  // The text may contain a password, so it is not quoted.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`${option}: expected a URL, http://… or https://…`);
}
