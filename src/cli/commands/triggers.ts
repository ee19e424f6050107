import { Command } from 'commander';
import { healthOf, healthOptions, storageOption } from '../input/options';

interface Flags {
  database?: string;
  storage?: string;
  healthPort?: string;
  healthHost: string;
}

/** `triggers`: takes messages of subscriptions. */
export function triggersCommand(): Command {
  const [port, host] = healthOptions('/health/live, /health/ready and /metrics');
  return new Command('triggers')
    .description(
      'take messages of active subscriptions and start their executions, until SIGTERM; run as many as you like',
    )
    .option('--database <url>', 'postgres://user:password@host/database (default: DATABASE_URL)')
    .addOption(storageOption())
    .addOption(port)
    .addOption(host)
    .action(async (flags: Flags) => {
      const { runTriggers } = await import('../runtime/triggers.js');
      process.exitCode = await runTriggers({ ...flags, ...healthOf(flags) });
    });
}
