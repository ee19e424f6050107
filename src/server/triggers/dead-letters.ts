/** Messages that could not be started: kept with their cause, replayed or forgotten. */
import { type KnownTrigger } from '../../language/plan';
import { type KeyRing } from '../../storage/keyring';
import { newExecutionId } from '../../temporal/client';
import { type Database } from '../store';
import { storableKey } from './envelope';
import { type SourceMessage } from './source';

/** As documents show it. */
export interface DeadLetter {
  readonly dead_id: string;
  readonly message_id: string;
  readonly code: string;
  readonly error: string;
  readonly bytes: number;
  readonly failed_at: Date;
  readonly expires_at: Date;
}

/** The message that it was, and may be again. */
export type DeadMessage = SourceMessage & { readonly deadId: string };

interface DeadRow extends Omit<SourceMessage, 'signature'> {
  readonly signature: string | null;
  readonly dead_id: string;
  readonly bytes: Buffer;
  readonly sealed: boolean;
}

const MAX_ERROR = 2000;
const MESSAGE = 'message_id, body, sealed, headers, attributes, metadata, code, error';

export class DeadLetters {
  constructor(
    private readonly database: Pick<Database, 'rows'>,
    private readonly keys?: KeyRing,
  ) {}

  /** A message that fails again, redelivered or replayed, is the same dead letter; one that is signed, whatever its id says. */
  async add(
    { id, plan }: KnownTrigger,
    message: SourceMessage,
    why: { code: string; message: string },
  ): Promise<void> {
    // Its key is the same when it is replayed.
    const messageId = storableKey(message.id);
    const body = this.keys ? this.keys.seal(message.bytes, placeOf(id, messageId)) : message.bytes;
    await this.database.rows(
      `INSERT INTO noetl.trigger_dead AS d (dead_id, trigger_id, signature, ${MESSAGE}, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + make_interval(secs => $12))
       ON CONFLICT (trigger_id, coalesce(signature, message_id)) DO UPDATE SET (${MESSAGE}, failed_at, expires_at)
         = ROW (${MESSAGE.replaceAll(/\w+/g, 'excluded.$&')}, now(), excluded.expires_at)`,
      [
        newExecutionId(),
        id,
        message.signature ?? null,
        messageId,
        Buffer.from(body),
        this.keys !== undefined,
        storableJson(message.headers),
        storableJson(message.attributes),
        storableJson(message.metadata),
        why.code,
        why.message.replaceAll('\0', '\uFFFD').slice(0, MAX_ERROR),
        plan.keepDeadSecs,
      ],
    );
  }

  /** Newest first. */
  async list(triggerId: string, limit: number): Promise<DeadLetter[]> {
    return await this.database.rows<DeadLetter>(
      `SELECT dead_id, message_id, code, error, length(body) AS bytes, failed_at, expires_at FROM noetl.trigger_dead
       WHERE trigger_id = $1 AND expires_at > now() ORDER BY failed_at DESC, dead_id DESC LIMIT $2`,
      [triggerId, limit],
    );
  }

  /** Oldest first. @param ids absent: all */
  async messages(
    triggerId: string,
    ids: readonly string[] | undefined,
    limit: number,
  ): Promise<DeadMessage[]> {
    const rows = await this.database.rows<DeadRow>(
      `SELECT dead_id, message_id AS id, signature, body AS bytes, sealed, headers, attributes, metadata FROM noetl.trigger_dead
       WHERE trigger_id = $1 AND ($2::bigint[] IS NULL OR dead_id = ANY($2)) AND expires_at > now() ORDER BY failed_at, dead_id LIMIT $3`,
      [triggerId, ids ?? null, limit],
    );
    return rows.map(({ dead_id: deadId, bytes, sealed, signature, ...message }) => ({
      ...message,
      deadId,
      bytes: sealed ? this.opened(bytes, placeOf(triggerId, message.id)) : bytes,
      ...(signature !== null && { signature }),
    }));
  }

  /** @throws KeyRingError if it was encrypted with a missing key */
  private opened(body: Buffer, place: string): Buffer {
    if (!this.keys) throw new Error('this process has no keys, with which the dead letter was encrypted');
    return this.keys.open(body, place);
  }

  /** @param ids absent: all @returns those that there were */
  async drop(triggerId: string, ids?: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ dead_id: string }>(
      'DELETE FROM noetl.trigger_dead WHERE trigger_id = $1 AND ($2::bigint[] IS NULL OR dead_id = ANY($2)) RETURNING dead_id',
      [triggerId, ids ?? null],
    );
    return rows.map(({ dead_id }) => dead_id);
  }

  async expire(): Promise<void> {
    await this.database.rows('DELETE FROM noetl.trigger_dead WHERE expires_at <= now()', []);
  }
}

/** Escapes of what no text of Postgres has: NUL, and halves of characters. */
function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(?:0000|d[89a-f]..)|.)/g, (text) =>
    text.length === 6 ? '\\ufffd' : text,
  );
}

function placeOf(triggerId: string, messageId: string): string {
  return `dead letter ${triggerId} ${messageId}`;
}
