/** The role of playbooks on the embedded Postgres, without rights over the server or our tables. */
import path from 'node:path';
import { Client } from 'pg';
import { addressOf } from '../../storage/postgres';
import { type Postgres } from './embedded-postgres';
import { keptPassword } from './postgres-cluster';

/** Its first schema is `public`, because there is none of the role's name. */
const ROLE = 'playbooks';
/** Of the advisory lock: commands on one data folder may create the role concurrently. */
const LOCK = 7_630_164_211;

/**
 * The same server and database with the role `playbooks`: it creates tables and schemas of its own, and reads the
 * projection of executions. It has no access to files, programs, untrusted extensions, the catalog or the
 * credentials.
 *
 * @param postgres the embedded one
 * @param dataDir its data folder
 */
export async function forPlaybooks(postgres: Postgres, dataDir: string): Promise<Postgres> {
  const password = keptPassword(path.resolve(dataDir, 'postgres', 'playbooks.password'));
  const client = new Client({ ...addressOf(postgres.url), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a lost connection is reported by the query
  await client.connect();
  try {
    await client.query(`
      BEGIN;
      SELECT pg_advisory_xact_lock(${LOCK});
      DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') THEN CREATE ROLE ${ROLE} LOGIN; END IF;
        IF to_regclass('noetl.transient') IS NOT NULL THEN
          GRANT USAGE ON SCHEMA noetl TO ${ROLE};
          GRANT SELECT ON noetl.event, noetl.canonical_event, noetl.execution, noetl.transient TO ${ROLE};
        END IF;
      END $$;
      ALTER ROLE ${ROLE} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS
        PASSWORD ${client.escapeLiteral(password)};
      GRANT CREATE, TEMPORARY ON DATABASE ${client.escapeIdentifier(postgres.data.db_name)} TO ${ROLE};
      GRANT CREATE ON SCHEMA public TO ${ROLE};
      COMMIT`);
  } finally {
    await client.end().catch(() => undefined);
  }
  const url = new URL(postgres.url);
  url.username = ROLE;
  url.password = encodeURIComponent(password);
  return {
    ...postgres,
    url: url.toString(),
    data: { ...postgres.data, db_user: ROLE, db_password: password },
  };
}
