/** The audit: who changed what, when, from where, and what became of it. Never values. */
import { numberSetting } from '../../../language/errors/number-settings';
import { type Database } from '../database';

export interface Act {
  /** Name of the token, or of the user of the command line. */
  readonly principal: string;
  /** Of an assistant, as it names itself. */
  readonly assistant: string | null;
  /** Address or host name. */
  readonly remote: string | null;
  /** `POST /api/executions/{id}/cancel`, or the command. */
  readonly request: string;
  /** Ids, paths and names of what it is about. */
  readonly about: readonly string[];
  /** Of the error; null: it was done. */
  readonly code: string | null;
}

export interface ActRow extends Act {
  readonly id: string;
  readonly at: Date;
}

export interface ActFilter {
  /** An id, a path or a name. */
  readonly about?: string;
  readonly by?: string;
  /** Part of the request. */
  readonly request?: string;
  /** Those before this one. */
  readonly before?: string;
  readonly limit: number;
}

const DAY_MS = 86_400_000;
const SWEEP_MS = 3_600_000;

export class Acts {
  private sweptAt = -Infinity;

  constructor(private readonly database: Pick<Database, 'rows'>) {}

  async note({ principal, assistant, remote, request, about, code }: Act): Promise<void> {
    await this.database.rows(
      `INSERT INTO noetl.act (principal, assistant, remote, request, about, code) VALUES ($1, $2, $3, $4, $5, $6)`,
      [principal, assistant, remote, request, about, code],
    );
    if (performance.now() - this.sweptAt > SWEEP_MS) await this.sweep();
  }

  /** Newest first. */
  async list({ about, by, request, before, limit }: ActFilter): Promise<ActRow[]> {
    const terms = [
      ['about @> ARRAY[$n::text]', about],
      ['principal = $n', by],
      ['position(lower($n) in lower(request)) > 0', request],
      ['id < $n', before],
    ].flatMap(([term, value]) => (value === undefined ? [] : [[term!, value] as const]));
    const where = terms.map(([term], at) => term.replace('$n', `$${at + 1}`)).join(' AND ') || 'true';
    return await this.database.rows<ActRow>(
      `SELECT id, at, principal, assistant, remote, request, about, code FROM noetl.act WHERE ${where} ORDER BY id DESC LIMIT ${limit}`,
      terms.map(([, value]) => value),
    );
  }

  /** Forgets those that are older than `NOETL_AUDIT_DAYS`. */
  private async sweep(): Promise<void> {
    this.sweptAt = performance.now();
    const days = numberSetting('NOETL_AUDIT_DAYS') ?? 365;
    if (days > 0)
      await this.database.rows('DELETE FROM noetl.act WHERE at < $1', [new Date(Date.now() - days * DAY_MS)]);
  }
}
