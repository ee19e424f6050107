/** A facade with a key, for tests of the credentials behind it: it asks nothing of Temporal. */
import { randomBytes } from 'node:crypto';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { FacadeError, type TokenScope, SCOPES } from '../../src/server/facade';
import { configuredKeyRing, type KeyRing } from '../../src/storage/keyring';
import { startFacade, type TestFacade } from './facade';
import { startTestPostgres, type TestPostgres } from './postgres';

export const CANARY = 'canary-of-the-store-4711';

/** A credential to store. */
export const pg = {
  name: 'pg_test',
  type: 'postgres',
  data: { db_host: 'h', db_user: 'u', db_password: CANARY, db_name: 'd' },
  description: 'of the tests',
  tags: ['test'],
};

export type Document = Record<string, unknown>;

export interface CredentialsFacade {
  readonly facade: TestFacade;
  /** The key of the facade, which it calls `old`. */
  readonly key: string;
  ask(
    method: string,
    path: string,
    body?: unknown,
    as?: TokenScope,
  ): Promise<{ status: number; body: Document }>;
  /** Another one on the same database. */
  another(over?: Partial<TestFacade['services']>): Promise<TestFacade>;
  /** A connection to its database. */
  withClient<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** As `NOETL_SECRETS_KEY` names its keys. */
export const ring = (text: string): KeyRing => configuredKeyRing({ NOETL_SECRETS_KEY: text });

/** Called once in a test file: starts and stops the facade and its Postgres. */
export function useCredentialsFacade(): CredentialsFacade {
  const temporal = { client: new TemporalClient({ connection: Connection.lazy() }) };
  const key = randomBytes(32).toString('base64');
  let postgres: TestPostgres;
  let facade: TestFacade;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    facade = await startFacade(temporal, {
      postgres,
      over: {
        keys: ring(`old:${key}`),
        // The bearer's word is the scope: what tokens are is shown elsewhere.
        authenticate: (request, scope) => {
          const said = request.get('authorization')?.replace('Bearer ', '') ?? 'admin';
          const scopes = said === 'admin' ? SCOPES : [said as TokenScope];
          if (scope === 'public' || scopes.includes(scope)) return Promise.resolve({ name: said, scopes });
          return Promise.reject(new FacadeError(403, 'SCOPE_MISSING', `${said} lacks ${scope}`));
        },
      },
    });
  });
  afterAll(async () => {
    await facade?.stop();
    await postgres?.stop();
  });
  return {
    get facade() {
      return facade;
    },
    key,
    async ask(method, path, body, as = 'admin') {
      const response = await fetch(`${facade.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Document };
    },
    another: (over) => startFacade(temporal, { postgres, over }),
    async withClient(work) {
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      try {
        return await work(client);
      } finally {
        await client.end();
      }
    },
  };
}
