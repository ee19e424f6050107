/**
 * Delivers what is in the outbox, at least once. A notification is sent in the transaction that locks its row: if the
 * sender dies, the lock goes with its connection, and another sender, or this one when it is back, sends it again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type QueryResultRow } from 'pg';
import { CodedError, messageOf } from '../../language/errors';
import { type InstallationTargets, listedTarget, type NotificationTarget } from '../../language/plan';
import { transaction } from '../../storage/postgres';
import { type Channel, type ChannelDelivery, refusal } from './deliver/channel';
import { addressed, type Addresses, type AnswerPath } from './message';
import { type Silence, silenceOf, silencesInForce } from '../store';
import { type Queryable } from './outbox';

/** Seconds after each failed attempt: a restart, an outage, a night. After the last, the notification is dead. */
const PAUSES_S: readonly number[] = [5, 30, 120, 600, 1800, 7200, 21_600, 43_200];
const IDLE_MS = 1_000;
/** Days for which delivered notifications are listed. */
const KEPT_DAYS = 30;
const SWEEP_MS = 3_600_000;
const MAX_ERROR = 500;

interface SenderOptions {
  readonly pool: Pool;
  readonly channels: Readonly<Record<ChannelName, Channel>>;
  /** For links in messages. */
  readonly addresses: Addresses & { readonly answerPath?: AnswerPath };
  /** What the installation lists now. */
  readonly listed?: InstallationTargets['targets'];
  /** Notifications sent at once; each takes a connection of the pool. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called with problems as text. */
  readonly report: (line: string) => void;
  /** Called for every attempt. */
  readonly attempted?: (cause: string, outcome: SendOutcome) => void;
}

type ChannelName = 'playbook' | 'webhook' | 'email' | 'chat';
/** `failed` is tried again, `silenced` is not. */
export type SendOutcome = 'delivered' | 'failed' | 'dead' | 'silenced';

interface OutboxRow extends ChannelDelivery {
  readonly cause: string;
  readonly path: string;
  readonly attempts: number;
}

export class Sender {
  constructor(private readonly options: SenderOptions) {}

  /** Sends until stopped; attempts in progress are completed. */
  async run(): Promise<void> {
    const { concurrency } = this.options;
    await Promise.all([this.sweep(), ...Array.from({ length: concurrency }, () => this.lane())]);
  }

  /** Attempts everything that is due now, once. */
  async drain(): Promise<void> {
    while (!this.options.signal.aborted && (await this.sendNext()));
  }

  private async lane(): Promise<void> {
    const { signal, report } = this.options;
    let lastReport = '';
    while (!signal.aborted) {
      const sent = await this.sendNext().catch((error: unknown) => {
        const why = `notifications: the outbox cannot be read: ${messageOf(error)}`;
        if (why !== lastReport) report((lastReport = why));
        return false;
      });
      if (sent) lastReport = '';
      else await sleep(IDLE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sweep(): Promise<void> {
    const { pool, signal } = this.options;
    const old = `DELETE FROM noetl.notification WHERE status IN ('delivered', 'silenced')
      AND coalesce(delivered_at, created_at) < now() - interval '${KEPT_DAYS} days'`;
    while (!signal.aborted) {
      await pool.query(old).catch(() => undefined); // again in an hour
      await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether there was one */
  private async sendNext(): Promise<boolean> {
    return await transaction(this.options.pool, async (db) => {
      const { rows } = await db.query<OutboxRow>(
        `SELECT id, target, message, starts, cause, path, attempts FROM noetl.notification
         WHERE status = 'pending' AND next_at <= now() AND NOT target ? 'trigger' ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      );
      const [row] = rows;
      if (!row) return false;
      const silence = silenceOf(await silencesInForce(rowsOf(db)), row);
      const error = silence ? undefined : await this.attempt(row);
      const outcome = silence ? await holdBack(db, row, silence) : await conclude(db, row, error);
      this.options.attempted?.(row.cause, outcome);
      if (outcome === 'dead')
        this.options.report(`notification ${row.id} (${row.cause}) is dead: ${messageOf(error)}`);
      return true;
    });
  }

  private async attempt(row: OutboxRow): Promise<unknown> {
    try {
      const target = listedTarget(row.target, this.options.listed);
      if ('unlisted' in target) throw notListed(target);
      const message = addressed(row.message, row.target, this.options.addresses);
      await this.options.channels[channelOf(target)]({ ...row, target, message });
      return undefined;
    } catch (error) {
      return error ?? new Error('no reason given');
    }
  }
}

function rowsOf(db: Queryable): Parameters<typeof silencesInForce>[0] {
  return async <Row>(text: string, values: readonly unknown[]) =>
    (await db.query<Row & QueryResultRow>(text, [...values])).rows;
}

async function holdBack(
  db: Queryable,
  { id }: OutboxRow,
  { path, until, created_by, reason }: Silence,
): Promise<SendOutcome> {
  const why = `${created_by} silenced ${path} until ${until.toISOString()}${reason ? `: ${reason}` : ''}`;
  await db.query(`UPDATE noetl.notification SET status = 'silenced', error = $2 WHERE id = $1`, [id, why]);
  return 'silenced';
}

function notListed({ unlisted: kind, name }: Extract<NotificationTarget, { unlisted: string }>): Error {
  return refusal(
    'NOTIFICATION_UNLISTED',
    `the installation lists no ${kind} called ${name}: its operator adds it to \`targets\` of the file of notifications`,
  );
}

function channelOf(target: NotificationTarget): ChannelName {
  if ('playbook' in target) return 'playbook';
  if ('webhook' in target) return 'webhook';
  return 'chat' in target ? 'chat' : 'email';
}

async function conclude(db: Queryable, { id, attempts }: OutboxRow, error: unknown): Promise<SendOutcome> {
  if (error === undefined) {
    await db.query(
      `UPDATE noetl.notification SET status = 'delivered', delivered_at = now(), attempts = attempts + 1, error = NULL
       WHERE id = $1`,
      [id],
    );
    return 'delivered';
  }
  const isFinal = error instanceof CodedError && error.code.startsWith('NOTIFICATION_') && !error.retryable;
  const pause = isFinal ? undefined : PAUSES_S[attempts];
  await db.query(
    `UPDATE noetl.notification SET attempts = attempts + 1, error = $2, status = $3,
       next_at = now() + make_interval(secs => $4) WHERE id = $1`,
    [id, reasonOf(error), pause === undefined ? 'dead' : 'pending', pause ?? 0],
  );
  return pause === undefined ? 'dead' : 'failed';
}

function reasonOf(error: unknown): string {
  const code = error instanceof CodedError ? `${error.code}: ` : '';
  const text = `${code}${messageOf(error)}`.replaceAll('\0', '\uFFFD');
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
}
