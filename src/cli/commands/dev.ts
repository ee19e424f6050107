import { Command } from 'commander';

/** `dev`: server and workers stay up until Ctrl-C. */
export function devCommand(): Command {
  return new Command('dev')
    .description('keep a Temporal server, a Postgres and workers of every kind running')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .action(async (flags: { data?: string }) => {
      const { develop } = await import('../runtime/develop.js');
      process.exitCode = await develop(flags);
    });
}
