/** Options that several commands share. */
import { Option } from 'commander';

export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document');
}

export function dataOption(): Option {
  return new Option('--data <folder>', 'the data folder of the run (default: NOETL_DATA_DIR or .noetl)');
}

export function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'postgres://user:password@host/database (default: DATABASE_URL, or the Postgres of the data folder)',
  );
}

/** Which facade a command speaks to. */
export function serverOption(): Option {
  return new Option(
    '--server <url>',
    'the facade to speak to, opened by NOETL_TOKEN (default: NOETL_FACADE_URL or http://127.0.0.1:8082)',
  );
}

/** For commands that start executions or serve them; `program.ts` makes the variable of it. */
export function encryptOption(): Option {
  return new Option(
    '--encrypt',
    'encrypt everything that Temporal keeps, for all processes alike (default: NOETL_ENCRYPT_PAYLOADS)',
  );
}
