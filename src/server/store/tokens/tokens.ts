/** Bearer tokens: creation, lookup, listing, revocation. */
import { type Selectable, sql } from 'kysely';
import { EnvironmentError } from '../../../language/errors';
import { type Database } from '../database';
import { type TokenTable } from './table';
import { tokenDigest, isDigestOf, newToken, tokenId } from './secret';

/** What a token of scope `worker` is bound to; an absent list does not limit. */
export interface TokenLimits {
  /** Names of credentials; `*` stands for any characters. */
  readonly credentials?: readonly string[] | null;
  /** Kinds whose types of credentials it may read, for tasks of these kinds. */
  readonly kinds?: readonly string[] | null;
  /** Pools of workers for whose tasks it may read. */
  readonly pools?: readonly string[] | null;
  /** Paths of playbooks for whose executions it may read, and which it may fetch; `*` stands for any characters. */
  readonly paths?: readonly string[] | null;
  /** It has no credentials of its own: it reads only what the call of a running task names. */
  readonly granted?: boolean;
}

const INFO = [
  'id',
  'name',
  'scopes',
  'credentials',
  'kinds',
  'pools',
  'paths',
  'granted',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
] as const satisfies readonly (keyof TokenTable)[];

/** The public fields of a token. */
export type TokenInfo = Pick<Selectable<TokenTable>, (typeof INFO)[number]>;

export type TokenState = 'valid' | 'expired' | 'revoked';

/** A token that was presented by a caller. */
export interface KnownToken extends TokenInfo {
  readonly state: TokenState;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly limits?: TokenLimits;
  /** Milliseconds from now; by default it is valid until revoked. */
  readonly expiresInMs?: number;
  /** A token made elsewhere; creating the same one again changes nothing. */
  readonly token?: string;
}

const UNIQUE_VIOLATION = '23505';

export class Tokens {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /**
   * @returns the token itself, which cannot be retrieved again, and its stored fields
   * @throws EnvironmentError `TOKEN_EXISTS` if a token of this name is in use, `TOKEN_INVALID` for a malformed
   * token
   */
  async create(spec: NewToken): Promise<[string, TokenInfo]> {
    const { name, scopes, limits = {}, expiresInMs, token = newToken() } = spec;
    const id = tokenId(token);
    if (id === undefined) {
      throw new EnvironmentError('TOKEN_INVALID', `the value for the token "${name}" has the wrong format`, [
        'A token is noetl_<12 hexadecimal digits>_<43 or more letters, digits, _ or ->.',
      ]);
    }
    const before = await this.find(token);
    if (before?.state === 'valid' && before.name === name && sameRights(before, { scopes, ...limits }))
      return [token, before];
    const row = await this.database.query
      .insertInto('noetl.token')
      .values({
        id,
        name,
        digest: tokenDigest(token),
        scopes: [...scopes],
        ...columnsOf(limits),
        expires_at: expiresInMs === undefined ? null : inFuture(expiresInMs),
      })
      .returning(INFO)
      .executeTakeFirstOrThrow()
      .catch((error: unknown) => {
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
        throw new EnvironmentError('TOKEN_EXISTS', `a token named "${name}", or this token, already exists`, [
          `Revoke it (noetl-temporal tokens revoke ${name}), or choose another name.`,
        ]);
      });
    return [token, row];
  }

  /** Looks up a presented token; undefined if unknown. */
  async find(token: string): Promise<KnownToken | undefined> {
    const id = tokenId(token);
    if (id === undefined) return undefined;
    const row = await this.database.query
      .selectFrom('noetl.token')
      .select([...INFO, 'digest'])
      // By the database's clock, which all facades share.
      .select(sql<boolean>`expires_at IS NOT NULL AND expires_at <= now()`.as('expired'))
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row || !isDigestOf(row.digest, token)) return undefined;
    const { digest: _, expired, ...info } = row;
    return { ...info, state: info.revoked_at ? 'revoked' : expired ? 'expired' : 'valid' };
  }

  /** Records the use of a token: at most one write per minute. */
  async touch(id: string): Promise<void> {
    await this.database.query
      .updateTable('noetl.token')
      .set({ last_used_at: sql`now()` })
      .where('id', '=', id)
      .where(sql<boolean>`(last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`)
      .execute();
  }

  /** All tokens, including revoked ones, newest first. */
  async list(): Promise<TokenInfo[]> {
    return await this.database.query
      .selectFrom('noetl.token')
      .select(INFO)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
  }

  /**
   * Revokes a token, with immediate effect.
   *
   * @param which its id, or the name of one that is not revoked
   * @returns undefined if there is none
   */
  async revoke(which: string): Promise<TokenInfo | undefined> {
    return await this.database.query
      .updateTable('noetl.token')
      .set({ revoked_at: sql`now()` })
      .where('revoked_at', 'is', null)
      .where((is) => is.or([is('id', '=', which), is('name', '=', which)]))
      .returning(INFO)
      .executeTakeFirst();
  }
}

function columnsOf({ credentials, kinds, pools, paths, granted = false }: TokenLimits) {
  const column = (list: readonly string[] | null | undefined): string[] | null => (list ? [...list] : null);
  return {
    credentials: column(credentials),
    kinds: column(kinds),
    pools: column(pools),
    paths: column(paths),
    granted,
  };
}

function inFuture(ms: number): ReturnType<typeof sql<Date>> {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}

interface Rights extends TokenLimits {
  readonly scopes: readonly string[];
}

function sameRights(a: Rights, b: Rights): boolean {
  const sorted = ({ scopes, credentials, kinds, pools, paths, granted = false }: Rights): string =>
    JSON.stringify([
      granted,
      ...[scopes, credentials, kinds, pools, paths].map((list) => (list ? [...list].sort() : null)),
    ]);
  return sorted(a) === sorted(b);
}
