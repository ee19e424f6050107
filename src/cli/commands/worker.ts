import { Command } from 'commander';
import { UsageError } from '../errors';
import { milliseconds } from '../input/number';

interface Flags {
  kinds?: string;
  workflows?: boolean;
  pool?: string;
  playbooks?: string;
  concurrency?: string;
  grace: string;
  storage?: string;
}

/** `worker`: serve task queues of a Temporal server until SIGTERM. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('serve tool kinds and workflows for the server of TEMPORAL_ADDRESS (default 127.0.0.1:7233)')
    .option('--kinds <list>', 'tool kinds, e.g. http,postgres; `all` for every kind')
    .option('--workflows', 'run workflows too')
    .option('--pool <name>', 'serve the queues of this pool (noetl-<pool>-<kind>)')
    .option('--playbooks <list>', 'serve the playbooks of these folders as sub-playbooks')
    .option('--concurrency <n>', 'tasks at once, per kind')
    .option(
      '--storage <url>',
      'where results too large for history go, for all workers alike: s3://…, gs://…, postgres://…, file:///shared, none ' +
        '(default: NOETL_STORAGE)',
    )
    .option('--grace <time>', 'how long running tasks may finish after SIGTERM', '30s')
    .action(async (flags: Flags) => {
      const graceMs = milliseconds(flags.grace, '--grace');
      const { serve } = await import('../runtime/serve-worker.js');
      process.exitCode = await serve({
        kinds: listOf(flags.kinds),
        workflows: flags.workflows === true,
        pool: flags.pool,
        playbooks: listOf(flags.playbooks),
        concurrency: flags.concurrency === undefined ? undefined : positive(flags.concurrency),
        storage: flags.storage,
        graceMs,
      });
    });
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((kind) => kind.trim())
    .filter(Boolean);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--concurrency ${text}: expected a whole number from 1`);
  return value;
}
