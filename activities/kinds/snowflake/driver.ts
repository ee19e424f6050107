/**
 * Snowflake's driver, loaded by the first task that needs it. It has no types that TypeScript can import from CommonJS,
 * so the parts in use are declared here.
 */
import { type Readable } from 'node:stream';
import { optionalPackage } from '../../framework/tool/optional-package';
import { variant } from './values';

export type Bind = string | number | boolean | null;

export interface Column {
  getName(): string;
  getType(): string;
}

export interface Statement {
  getColumns(): Column[] | undefined;
  /** -1 for statements that change no rows. */
  getNumUpdatedRows(): number | undefined;
  streamRows(): Readable;
  cancel(done: () => void): void;
}

export interface Execution {
  readonly sqlText: string;
  readonly binds?: readonly Bind[];
  readonly streamResult: true;
  readonly parameters: Readonly<Record<string, string | number>>;
  complete(error: Error | undefined, statement: Statement): void;
}

export interface Connection {
  connect(done: (error?: Error) => void): void;
  destroy(done: (error?: Error) => void): void;
  execute(execution: Execution): Statement;
}

export interface Driver {
  configure(options: { logLevel: string; jsonColumnVariantParser(text: unknown): unknown }): void;
  createConnection(options: Readonly<Record<string, unknown>>): Connection;
}

/** How often the driver retries a request, and the longest delay in between, in seconds. */
const RETRIES = 2;
const LONGEST_WAIT_S = 4;

let loaded: Promise<Driver> | undefined;

/** @throws ToolError `PACKAGE_MISSING` */
export function snowflakeDriver(): Promise<Driver> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<Driver> {
  const module = await optionalPackage('snowflake', 'snowflake-sdk', () => import('snowflake-sdk'));
  const driver = ((module as { default?: unknown }).default ?? module) as Driver;
  // Its log would go to stdout and into a file in the worker's folder, with parts of the SQL.
  driver.configure({ logLevel: 'OFF', jsonColumnVariantParser: variant });
  await limitRetries();
  return driver;
}

const TRANSPORT = 'snowflake-sdk/dist/lib/http/axios_instance.js';

interface Transport {
  readonly interceptors: {
    readonly request: { use(change: (request: { snowflakeRetryConfig?: object }) => object): void };
  };
}

/**
 * The driver (3.3) retries a request 7 times, some 1000 times, for up to hours, even after its task has ended: it
 * cannot be cancelled, and no option limits it. Retries are up to the playbook, so two quick ones are enough.
 */
async function limitRetries(): Promise<void> {
  let loaded: { default?: Transport | { default?: Transport } };
  try {
    loaded = (await import(TRANSPORT)) as typeof loaded;
  } catch {
    return; // Other versions keep it elsewhere.
  }
  const outer = loaded.default as Transport & { default?: Transport };
  const transport = outer?.default ?? outer;
  transport?.interceptors?.request.use((request) => {
    request.snowflakeRetryConfig = {
      ...request.snowflakeRetryConfig,
      maxRetries: RETRIES,
      sleepCap: LONGEST_WAIT_S,
    };
    return request;
  });
}
