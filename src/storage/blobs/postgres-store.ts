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
/**
 * For logins of workers that run what authors write: with the right to call these, and none to the table, they store, and
 * read what they have the key of, which holds the hash of what it names. They list, change and remove nothing.
 */
const FUNCTIONS = `
create or replace function noetl_blob_put(new_key text, new_namespace text, new_workflow_id text, new_body bytea)
returns void language sql security definer set search_path from current as $$
  insert into noetl_blobs as old (key, namespace, workflow_id, body)
  select new_key, new_namespace, new_workflow_id, new_body
  where new_key !~ '/d/sha256/[^/]*$' or new_key ~ ('/d/sha256/' || encode(sha256(new_body), 'hex') || '$')
  on conflict (key) do update set stored_at = now(),
    body = case when old.key ~ '/d/sha256/[0-9a-f]{64}$' then old.body else excluded.body end
$$;
create or replace function noetl_blob_get(old_key text)
returns bytea language sql stable security definer set search_path from current as $$
  select body from noetl_blobs where key = old_key and key !~ '/l/[^/]*$'
$$`;
const INDEX = 'create index if not exists noetl_blobs_owner on noetl_blobs (namespace, workflow_id)';
/** All of them fail if two processes run them concurrently. */
const LOCK = `select pg_advisory_xact_lock(hashtext('noetl_blobs'))`;

/** Of our login: the table's, or those of its functions only. */
type Rights = 'table' | 'functions';

const PUT: Readonly<Record<Rights, string>> = {
  table: `insert into noetl_blobs (key, namespace, workflow_id, body) values ($1, $2, $3, $4)
    on conflict (key) do update set body = excluded.body, stored_at = now()`,
  functions: 'select noetl_blob_put($1, $2, $3, $4)',
};
const GET: Readonly<Record<Rights, string>> = {
  table: 'select body from noetl_blobs where key = $1',
  functions: 'select noetl_blob_get($1) as body',
};

/** @param url of a database in which we may create the table `noetl_blobs`, or call its functions */
export function postgresStore(url: string): ObjectStore {
  const pool = openPool({
    ...addressOf(url),
    max: 8,
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: 'noetl-temporal storage',
  });
  let ready: Promise<Rights> | undefined;
  const prepared = (): Promise<Rights> =>
    (ready ??= prepare(pool).catch((error: unknown) => {
      ready = undefined;
      throw error;
    }));
  const { host, pathname } = new URL(url);
  return {
    shown: `postgres://${host}${pathname}`,
    async put(key, bytes) {
      const owner = parseKey(key)!;
      await pool.query(PUT[await prepared()], [key, owner.namespace, owner.workflowId, Buffer.from(bytes)]);
    },
    async get(key) {
      const { rows } = await pool.query<{ body: Buffer | null }>(GET[await prepared()], [key]);
      return rows[0]?.body ?? undefined;
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

async function prepare(pool: Pool): Promise<Rights> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ limited: boolean | null }>(
      `select not has_table_privilege(to_regclass('noetl_blobs'), 'select') as limited`,
    );
    const isLimited = rows[0]?.limited === true;
    if (!isLimited) await client.query(`begin; ${LOCK}; ${TABLE}; ${INDEX}; ${FUNCTIONS}; commit`);
    client.release();
    return isLimited ? 'functions' : 'table';
  } catch (error) {
    client.release(true); // its transaction has failed
    throw error;
  }
}
