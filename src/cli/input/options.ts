/** Options shared by several commands. */
import { Command, Option } from 'commander';
import { type RunLabels, labelsIn, labelsProblem } from '../../language/plan/labels';
import { UsageError } from '../errors';
import { portNumber } from './number';

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document');
}

export function formatOption(): Option {
  return new Option('--format <format>', 'format of the output').choices(['text', 'json']).default('text');
}

/** Labels of what is started; the flag `label`. */
export function labelOption(): Option {
  return new Option(
    '--label <key=value>',
    'a label of the execution, by which it is found, e.g. team=sales; repeatable',
  ).argParser((given: string, before: RunLabels | undefined) => {
    const labels = { ...before, ...labelsIn([given]) };
    const problem = given.includes('=') ? labelsProblem(labels) : 'expected KEY=VALUE, e.g. team=sales';
    if (problem !== undefined) throw new UsageError(`--label ${given}: ${problem}`);
    return labels;
  });
}

export function dataOption(): Option {
  return new Option('--data <folder>', 'the data folder of the run (default: NOETL_DATA_DIR or .noetl)');
}

export function storageOption(): Option {
  return new Option(
    '--storage <url>',
    'where values are that are stored outside history (default: NOETL_STORAGE, or the data folder)',
  );
}

export function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'postgres://user:password@host/database (default: DATABASE_URL, or the Postgres of the data folder)',
  );
}

/** For commands that decide recorded runs anew. */
export function executeOption(): Option {
  return new Option(
    '--execute <kind>',
    'run changed code of this kind, on the recorded inputs, in a sandbox without files and network: python',
  );
}

/** Where `executeOption`, and `execute` of rehearsals, run code. */
export function sandboxOption(): Option {
  return new Option(
    '--sandbox <level>',
    'the sandbox of code that is executed: strict, standard, none (default: strict)',
  );
}

/** A command about executions, or what belongs to them, at Temporal or at a facade; its flags are `RemoteFlags`. */
export function withPlace(command: Command): Command {
  return command.addOption(jsonOption()).addOption(dataOption()).addOption(atServerOption());
}

/** A subcommand that works on the database, without a facade. */
export function databaseCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(dataOption());
}

/** The flags of `databaseCommand`. */
export interface DatabaseFlags {
  json?: boolean;
  data?: string;
  database?: string;
}

/** The facade that a command connects to. */
export function serverOption(): Option {
  return new Option(
    '--server <url>',
    'the facade to use, with the token NOETL_TOKEN (default: NOETL_FACADE_URL or http://127.0.0.1:8082)',
  );
}

/** The facade for commands that query an execution; Temporal without it. */
export function atServerOption(): Option {
  return new Option(
    '--server <url>',
    'use this facade, with the token NOETL_TOKEN (default: NOETL_FACADE_URL; if neither is set, TEMPORAL_ADDRESS or the data folder)',
  );
}

/** For commands that start or run executions; `program.ts` sets the variable from it. */
export function encryptOption(): Option {
  return new Option(
    '--encrypt',
    'encrypt everything that Temporal stores; set it for all processes (default: NOETL_ENCRYPT_PAYLOADS)',
  );
}

/** The health endpoint of a process without a REST API; both options are passed to `healthOf`. */
export function healthOptions(pages: string): readonly [Option, Option] {
  return [
    new Option('--health-port <port>', `serve ${pages} on this port`),
    new Option('--health-host <address>', 'address for --health-port').default('0.0.0.0'),
  ];
}

/** @throws UsageError for an invalid port */
export function healthOf(flags: { readonly healthPort?: string; readonly healthHost: string }): {
  readonly healthPort: number | undefined;
  readonly healthHost: string;
} {
  const { healthPort, healthHost } = flags;
  return {
    healthPort: healthPort === undefined ? undefined : portNumber(healthPort, '--health-port'),
    healthHost,
  };
}

/** Origins allowed to call a facade. */
export function corsOption(): Option {
  return new Option(
    '--cors <origin>',
    'allow requests from pages of this origin, e.g. https://gui.example.com; repeatable',
  )
    .argParser(origin)
    .default([], 'none');
}

function origin(given: string, before: string[]): string[] {
  if (given !== '*' && (!URL.canParse(given) || new URL(given).origin !== given))
    throw new UsageError(
      `--cors ${given}: expected an origin as browsers send it, like https://gui.example.com`,
    );
  return [...before, given];
}
