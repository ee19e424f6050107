/** Which subscriptions are at work: one row a trigger, its state and its counters. */
import { CodedError } from '../../language/errors';
import { TRIGGER_MOVES, type TriggerPlan, type TriggerState, type TriggerVerb } from '../../language/plan';
import { newExecutionId } from '../../temporal/client';
import { type Database } from '../store';
import { type MessageOutcome } from './dispatcher';

/** As documents show it. */
export interface TriggerRow {
  readonly subscription_id: string;
  readonly path: string;
  /** Of the latest version. */
  readonly catalog_id: string | null;
  readonly state: TriggerState;
  readonly last_event_type: string;
  readonly updated_at: Date;
  readonly source: string;
  readonly mode: string;
  readonly address: string | null;
  readonly received: number;
  readonly started: number;
  readonly duplicates: number;
  readonly filtered: number;
  readonly failed: number;
  readonly dead_letters: number;
  readonly lag: number | null;
  readonly lag_at: Date | null;
  readonly last_message_at: Date | null;
  readonly trouble: string | null;
  readonly trouble_at: Date | null;
}

/** What somebody who works for it knows of it. */
export interface TriggerAtWork {
  readonly trigger_id: string;
  readonly path: string;
  readonly state: TriggerState;
}

const AT_WORK = 'SELECT trigger_id, path, state FROM noetl.trigger';
const ROW = `SELECT trigger_id AS subscription_id, path, state, last_event AS last_event_type, updated_at, source, mode, '/ingress/' || listener AS address,
  (SELECT c.catalog_id FROM noetl.catalog c JOIN noetl.catalog_path p ON p.path = c.path AND p.latest_version = c.version WHERE c.path = t.path) AS catalog_id,
  received::float8, started::float8, duplicates::float8, filtered::float8, dead::float8 AS failed,
  (SELECT count(*) FROM noetl.trigger_dead d WHERE d.trigger_id = t.trigger_id AND d.expires_at > now())::float8 AS dead_letters,
  lag::float8, lag_at, last_message_at, trouble, trouble_at FROM noetl.trigger t`;
const MAX_TROUBLE = 500;
const UNIQUE_VIOLATION = '23505';

const COLUMNS: Readonly<Record<MessageOutcome, string>> = {
  started: 'started',
  duplicate: 'duplicates',
  filtered: 'filtered',
  dead: 'dead',
};

export class TriggerStore {
  constructor(private readonly database: Pick<Database, 'rows'>) {}

  /** Idempotent by path while it is not deactivated. @throws CodedError `TRIGGER_ADDRESS_TAKEN` */
  async register({ metadata, source, mode, ingress, connection }: TriggerPlan): Promise<TriggerRow> {
    const taken = `another subscription has the address /ingress/${ingress?.listener}`;
    const [row] = await this.database
      .rows<TriggerAtWork>(
        `INSERT INTO noetl.trigger (trigger_id, path, source, mode, listener, watches) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (path) WHERE state <> 'DEACTIVATED'
         DO UPDATE SET source = excluded.source, mode = excluded.mode, listener = excluded.listener,
           watches = excluded.watches RETURNING trigger_id`,
        [
          newExecutionId(),
          metadata.path,
          source,
          mode,
          ingress?.listener ?? null,
          source === 'playbook' ? JSON.stringify(connection) : null,
        ],
      )
      .catch(ifNotUnique('TRIGGER_ADDRESS_TAKEN', taken));
    return (await this.find(row!.trigger_id))!;
  }

  /** @param name an id, or a path; of a path the one that is not deactivated, else the last */
  async find(name: string): Promise<TriggerRow | undefined> {
    const isId = /^\d{1,18}$/.test(name);
    const [row] = await this.database.rows<TriggerRow>(
      `${ROW} WHERE ${isId ? 't.trigger_id' : 't.path'} = $1 ORDER BY t.state = 'DEACTIVATED', t.created_at DESC LIMIT 1`,
      [name],
    );
    return row;
  }

  /** Those that have addresses, by these. */
  async listening(): Promise<ReadonlyMap<string, TriggerAtWork>> {
    const at = `SELECT trigger_id, path, state, listener FROM noetl.trigger WHERE listener IS NOT NULL AND state <> 'DEACTIVATED'`;
    const rows = await this.database.rows<TriggerAtWork & { readonly listener: string }>(at, []);
    return new Map(rows.map((row) => [row.listener, row]));
  }

  /** Newest first; deactivated ones last. */
  async list(): Promise<TriggerRow[]> {
    return await this.database.rows<TriggerRow>(
      `${ROW} ORDER BY t.state = 'DEACTIVATED', t.created_at DESC, t.trigger_id DESC LIMIT 1000`,
      [],
    );
  }

  /** Those that are taken by processes: at work, or to be finished. */
  async pulled(): Promise<TriggerAtWork[]> {
    const pulled = `${AT_WORK} WHERE (mode = 'pull' AND state = 'ACTIVE') OR state = 'DRAINING'`;
    return await this.database.rows<TriggerAtWork>(pulled, []);
  }

  /** @throws CodedError `TRIGGER_STATE` */
  async move(id: string, verb: TriggerVerb): Promise<TriggerRow> {
    const { from, to, event } = TRIGGER_MOVES[verb];
    const moved = await this.database
      .rows(
        `UPDATE noetl.trigger SET state = $2, last_event = $3, updated_at = now(), trouble = NULL, trouble_at = NULL
         WHERE trigger_id = $1 AND state = ANY($4) RETURNING trigger_id`,
        [id, to, event, from],
      )
      .catch(ifNotUnique('TRIGGER_STATE', 'it was deactivated, and registered again since: name that one'));
    const row = (await this.find(id))!;
    if (moved.length > 0) return row;
    throw new CodedError(
      'TRIGGER_STATE',
      `${row.path} is ${row.state}: ${verb} is possible from ${from.join(', ')}`,
    );
  }

  /** Everything that was taken is settled: a drained one is done. */
  async drained(id: string): Promise<void> {
    await this.move(id, 'deactivate');
  }

  async count(id: string, outcomes: Readonly<Partial<Record<MessageOutcome, number>>>): Promise<void> {
    const all = Object.entries(outcomes) as [MessageOutcome, number][];
    const received = all.reduce((sum, [, count]) => sum + count, 0);
    const sets = all.map(([outcome], index) => `${COLUMNS[outcome]} = ${COLUMNS[outcome]} + $${index + 3}`);
    await this.database.rows(
      `UPDATE noetl.trigger SET received = received + $2, last_message_at = now(), ${sets.join(', ')} WHERE trigger_id = $1`,
      [id, received, ...all.map(([, count]) => count)],
    );
  }

  /** Why nothing can be taken or started; undefined: that is over. */
  async trouble(id: string, why: string | undefined): Promise<void> {
    await this.database.rows(
      `UPDATE noetl.trigger SET trouble = $2, trouble_at = CASE WHEN $2::text IS NULL THEN NULL ELSE coalesce(trouble_at, now()) END
       WHERE trigger_id = $1 AND trouble IS DISTINCT FROM $2`,
      [id, why?.replaceAll('\0', '').slice(0, MAX_TROUBLE) ?? null],
    );
  }

  async noteLag(id: string, lag: number): Promise<void> {
    await this.database.rows('UPDATE noetl.trigger SET lag = $2, lag_at = now() WHERE trigger_id = $1', [
      id,
      lag,
    ]);
  }
}

function ifNotUnique(code: string, message: string): (error: unknown) => never {
  return (error) => {
    const isTaken = (error as { code?: unknown }).code === UNIQUE_VIOLATION;
    throw isTaken ? new CodedError(code, message) : error;
  };
}
