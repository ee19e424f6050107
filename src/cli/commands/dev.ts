import { Command } from 'commander';
import { portNumber } from '../input/number';
import { corsOption, encryptOption } from '../input/options';

interface Flags {
  data?: string;
  port: string;
  cors: string[];
  notifications?: string;
  /** True for the current folder. */
  watch?: string | true;
}

/** `dev`: runs server, workers and facade until Ctrl-C. */
export function devCommand(): Command {
  return new Command('dev')
    .description('run a Temporal server, a Postgres, workers of every kind and the REST facade until Ctrl-C')
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .option('--port <port>', 'port of the REST facade, on 127.0.0.1', '8082')
    .option(
      '--notifications <file>',
      'whom to tell when executions fail, are late, … (default: NOETL_NOTIFICATIONS)',
    )
    .option('--watch [folder]', 'register the playbooks of a folder, and each again when it is saved')
    .addOption(corsOption())
    .addOption(encryptOption())
    .action(async ({ port: given, watch, ...flags }: Flags) => {
      const port = portNumber(given, '--port');
      const { develop } = await import('../runtime/develop.js');
      const folder = watch === true ? '.' : watch;
      process.exitCode = await develop({ ...flags, port, ...(folder !== undefined && { watch: folder }) });
    });
}
