/** Payloads as rows of one table: a shared store for installations that have a Postgres. */
import { type Pool } from 'pg';
import { addressOf, openPool } from '../postgres';
import { parseKey, parsePrefix } from './key';
import { type ObjectStore } from './object-driver';

const TABLE = `create table if not exists noetl_blobs (
  key text primary key,
  namespace text not null,
  workflow_id text not null,
  stored_at timestamptz not null default now(),
  body bytea not null
)`;
const INDEX = 'create index if not exists noetl_blobs_owner on noetl_blobs (namespace, workflow_id)';
/** Both statements fail if two processes run them concurrently. */
const LOCK = `select pg_advisory_xact_lock(hashtext('noetl_blobs'))`;

/** @param url of a database in which we may create the table `noetl_blobs` */
export function postgresStore(url: string): ObjectStore {
  const pool = openPool({
    ...addressOf(url),
    max: 8,
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: 'noetl-temporal storage',
  });
  let ready: Promise<void> | undefined;
  const prepared = (): Promise<void> =>
    (ready ??= prepare(pool).catch((error: unknown) => {
      ready = undefined;
      throw error;
    }));
  const { host, pathname } = new URL(url);
  return {
    shown: `postgres://${host}${pathname}`,
    async put(key, bytes) {
      await prepared();
      const owner = parseKey(key)!;
      await pool.query(
        `insert into noetl_blobs (key, namespace, workflow_id, body) values ($1, $2, $3, $4)
         on conflict (key) do update set body = excluded.body, stored_at = now()`,
        [key, owner.namespace, owner.workflowId, Buffer.from(bytes)],
      );
    },
    async get(key) {
      await prepared();
      const { rows } = await pool.query<{ body: Buffer }>('select body from noetl_blobs where key = $1', [
        key,
      ]);
      return rows[0]?.body;
    },
    async list(prefix, after, count) {
      await prepared();
      // Of logs or of cached results.
      const owner = parsePrefix(prefix.replace(/[lc]\/$/, ''));
      if (!owner) return [];
      const { rows } = await pool.query<{ key: string }>(
        `select key from noetl_blobs
         where namespace = $1 and workflow_id = $2 and starts_with(key, $3) and key collate "C" > $4
         order by key collate "C" limit $5`,
        [owner.namespace, owner.workflowId, prefix, prefix + after, count],
      );
      return rows.map(({ key }) => key.slice(prefix.length));
    },
    async delete(key) {
      await pool.query('delete from noetl_blobs where key = $1', [key]);
    },
    async owners() {
      await prepared();
      const { rows } = await pool.query<Record<string, string>>(
        `select namespace, workflow_id, count(*) as count, sum(octet_length(body)) as bytes,
                extract(epoch from max(stored_at)) * 1000 as newest
         from noetl_blobs group by 1, 2`,
      );
      return rows.map((row) => ({
        namespace: row['namespace']!,
        workflowId: row['workflow_id']!,
        count: Number(row['count']),
        bytes: Number(row['bytes']),
        newest: Number(row['newest']),
      }));
    },
    async remove({ namespace, workflowId }, before) {
      await prepared();
      const { rows } = await pool.query<{ bytes: number }>(
        `delete from noetl_blobs where namespace = $1 and workflow_id = $2 and stored_at < to_timestamp($3)
         returning octet_length(body) as bytes`,
        [namespace, workflowId, before / 1000],
      );
      return { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0) };
    },
    close: () => pool.end(),
  };
}

async function prepare(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${LOCK}; ${TABLE}; ${INDEX}; commit`);
    client.release();
  } catch (error) {
    client.release(true); // its transaction has failed
    throw error;
  }
}
