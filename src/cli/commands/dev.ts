import { Command } from 'commander';
import { portNumber } from '../input/number';
import { corsOption, encryptOption } from '../input/options';

interface Flags {
  data?: string;
  port: string;
  temporalPort?: string;
  uiPort?: string;
  postgresPort?: string;
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
      '--temporal-port <port>',
      'port of the Temporal server (default: 7233, or a free one if it is in use)',
    )
    .option('--ui-port <port>', 'port of the Temporal UI (default: 8233, or a free one if it is in use)')
    .option('--postgres-port <port>', 'port of the embedded Postgres (default: a free one)')
    .option(
      '--notifications <file>',
      'whom to tell when executions fail, are late, … (default: NOETL_NOTIFICATIONS)',
    )
    .option('--watch [folder]', 'register the playbooks of a folder, and each again when it is saved')
    .addOption(corsOption())
    .addOption(encryptOption())
    .action(async ({ port: given, temporalPort, uiPort, postgresPort, watch, ...flags }: Flags) => {
      const port = portNumber(given, '--port');
      const ports = {
        grpc: portIfGiven(temporalPort, '--temporal-port'),
        ui: portIfGiven(uiPort, '--ui-port'),
        postgres: portIfGiven(postgresPort, '--postgres-port'),
      };
      const { develop } = await import('../runtime/develop.js');
      const folder = watch === true ? '.' : watch;
      process.exitCode = await develop({
        ...flags,
        port,
        ports,
        ...(folder !== undefined && { watch: folder }),
      });
    });
}

function portIfGiven(text: string | undefined, option: string): number | undefined {
  return text === undefined ? undefined : portNumber(text, option);
}
