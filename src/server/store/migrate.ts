/**
 * The schema `noetl`: an ordered list of SQL files, each applied once, in its own transaction, under a database
 * lock. A database of an earlier release is upgraded with its data.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { addressOf } from '../../storage/postgres';
import { EnvironmentError } from '../../language/errors';

import { isContracting } from './contracting';
import { databaseError } from './database-error';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = path.join(__dirname, 'migrations');
/** Of the advisory lock; an arbitrary unique number. */
const LOCK = 7_630_164_210;

/** The migrations of this release, in order. */
export function migrations(): Migration[] {
  return fs
    .readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const [, number, name] = /^(\d{4})_(\w+)\.sql$/.exec(file)!;
      return { number: Number(number), name: name!, sql: fs.readFileSync(path.join(FOLDER, file), 'utf8') };
    });
}

/**
 * Applies the missing migrations; concurrent processes wait for each other.
 *
 * @returns the numbers of the applied migrations
 * @throws EnvironmentError `DATABASE_…` if the database is unavailable, `SCHEMA_FOREIGN` if it has a schema `noetl`
 *   of another origin, `SCHEMA_NEWER` if a newer release took away what this one may need, `SCHEMA_CHANGED` if a
 *   migration differs from the applied one
 */
export async function migrate(url: string, list: readonly Migration[] = migrations()): Promise<number[]> {
  const client = new Client({ ...addressOf(url), connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // reported by the running query
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const applied = await bookOf(client);
    check(applied, list);
    const missing = list.filter((one) => !applied.has(one.number));
    for (const migration of missing) await apply(client, migration);
    return missing.map((one) => one.number);
  } catch (error) {
    throw databaseError(url, error);
  } finally {
    await client.end().catch(() => undefined); // releases the lock
  }
}

interface Applied {
  readonly name: string;
  readonly digest: string;
  /** Releases that do not know the migration cannot use the schema (contracting.ts). */
  readonly contracts: boolean;
}

/** The applied migrations, by number; creates the table if missing. */
async function bookOf(client: Client): Promise<Map<number, Applied>> {
  const { rows } = await client.query<{ book: string | null; event: string | null }>(
    `SELECT to_regclass('noetl.schema_migration') AS book, to_regclass('noetl.event') AS event`,
  );
  if (rows[0]!.book === null) {
    if (rows[0]!.event !== null) {
      throw new EnvironmentError(
        'SCHEMA_FOREIGN',
        'This database has a table noetl.event that does not belong to noetl-temporal.',
        ['Use another database: noetl-temporal does not modify that of a NoETL server.'],
      );
    }
    await keepUnqualifiedNames(client);
    await client.query('CREATE SCHEMA IF NOT EXISTS noetl');
    await client.query(
      `CREATE TABLE noetl.schema_migration (
         number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL,
         applied_at TIMESTAMPTZ NOT NULL DEFAULT now(), contracts BOOLEAN NOT NULL DEFAULT false)`,
    );
  } else
    // Of databases that were made before it was told.
    await client.query(
      'ALTER TABLE noetl.schema_migration ADD COLUMN IF NOT EXISTS contracts BOOLEAN NOT NULL DEFAULT false',
    );
  const applied = await client.query<Applied & { number: number }>(
    'SELECT number, name, digest, contracts FROM noetl.schema_migration',
  );
  return new Map(applied.rows.map((row) => [row.number, row]));
}

/**
 * For a user named noetl, the schema noetl would come first in the search path: unqualified tables of playbooks
 * would be looked up and created there instead of in public.
 */
async function keepUnqualifiedNames(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string }>(
    `SELECT current_database() AS database WHERE current_user = 'noetl' AND to_regnamespace('noetl') IS NULL
       AND current_setting('search_path') LIKE '%"$user"%'`,
  );
  const [row] = rows;
  if (!row) return;
  const database = client.escapeIdentifier(row.database);
  await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${database} SET search_path TO public`);
}

function check(applied: ReadonlyMap<number, Applied>, list: readonly Migration[]): void {
  for (const [number, { name, digest, contracts }] of applied) {
    const ours = list.find((one) => one.number === number);
    // A newer release has only added to the schema: this one goes on beside it.
    if (!ours && !contracts) continue;
    if (!ours) {
      throw new EnvironmentError(
        'SCHEMA_NEWER',
        `A newer release has removed something from the schema noetl of this database that this release may need (migration ${number}, ${name}).`,
        ['Use that release of noetl-temporal, or a later one.'],
      );
    }
    if (digestOf(ours) !== digest) {
      throw new EnvironmentError(
        'SCHEMA_CHANGED',
        `Migration ${number} (${name}) of this release is not the one that was applied to this database.`,
        ['Use a release of noetl-temporal as it was published.'],
      );
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    const { number, name, sql } = migration;
    await client.query(
      'INSERT INTO noetl.schema_migration (number, name, digest, contracts) VALUES ($1, $2, $3, $4)',
      [number, name, digestOf(migration), isContracting(sql)],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function digestOf({ sql }: Migration): string {
  return createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');
}
