/** Snowflake's driver, loaded by the first task that needs it. */
import type * as Snowflake from 'snowflake-sdk';
import { messageOf } from '../../../src/language/errors';
import { checkEndpoint } from '../../framework/http/metadata';
import { toolPackage } from '../../framework/tool/optional-package';

type Driver = typeof Snowflake;

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
  const sdk = await toolPackage('snowflake', 'snowflake-sdk', () => import('snowflake-sdk'));
  const driver = ((sdk as { default?: unknown }).default ?? sdk) as Driver;
  // VARIANTs are parsed with their rows (values.ts).
  // Its log would go to stdout and into a file in the worker's folder, with parts of the SQL.
  driver.configure({ logLevel: 'OFF', jsonColumnVariantParser: (text: unknown) => text });
  await guardRequests();
  return driver;
}

const TRANSPORT = 'snowflake-sdk/dist/lib/http/axios_instance.js';

interface Request {
  readonly url?: string;
  snowflakeRetryConfig?: object;
}

interface Transport {
  readonly interceptors: {
    readonly request: { use(change: (request: Request) => Promise<Request>): void };
  };
}

/**
 * Which server answers is up to the credential, and where its rows are is up to that server: neither may be where clouds
 * serve credentials.
 *
 * The driver (3.3) retries a request 7 times, some 1000 times, for up to hours, even after its task has ended: it
 * cannot be cancelled, and no option limits it. Retries are up to the playbook, so two quick ones are enough.
 */
async function guardRequests(): Promise<void> {
  let loaded: { default?: Transport | { default?: Transport } };
  try {
    loaded = (await import(TRANSPORT)) as typeof loaded;
  } catch {
    return; // Other versions keep it elsewhere.
  }
  const outer = loaded.default as Transport & { default?: Transport };
  const transport = outer?.default ?? outer;
  transport?.interceptors?.request.use(async (request) => {
    await checkEndpoint('snowflake', request.url).catch((cause: unknown) => {
      // The code of a request that the driver does not try again.
      throw Object.assign(new Error(messageOf(cause), { cause }), { code: 'ERR_CANCELED' });
    });
    request.snowflakeRetryConfig = {
      ...request.snowflakeRetryConfig,
      maxRetries: RETRIES,
      sleepCap: LONGEST_WAIT_S,
    };
    return request;
  });
}
