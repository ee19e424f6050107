/**
 * Where a Postgres is and how it is spoken to, with the words of libpq: pg has `sslmode` mean something else (`require`
 * demands a certificate of a public authority, `prefer` refuses a server without TLS), and so psql and we would differ.
 */
import fs from 'node:fs';
import { type ClientConfig } from 'pg';

/** libpq's; each may be missing. */
export interface TlsWords {
  readonly sslmode?: string;
  /** PEM text, a file, or `system`: whom to trust. */
  readonly sslrootcert?: string;
  /** PEM text or a file: who we are. */
  readonly sslcert?: string;
  readonly sslkey?: string;
}

/** A word of libpq's that says nothing we can do. */
export class TlsWordError extends Error {
  override readonly name = 'TlsWordError';
}

const WORDS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

/** What is verified: nothing, the chain, or the name of the server as well; null: no TLS. */
const MODES: Readonly<Record<string, 'nothing' | 'chain' | 'name' | null>> = {
  disable: null,
  // libpq would try without, or with, and then the other way; we do not try.
  allow: null,
  prefer: null,
  require: 'nothing',
  'no-verify': 'nothing',
  'verify-ca': 'chain',
  'verify-full': 'name',
};

/**
 * The options of a client for a URL, whose TLS words are read as libpq reads them.
 *
 * @throws TlsWordError for a mode that there is not, or a file that cannot be read
 */
export function addressOf(url: string): ClientConfig {
  if (!URL.canParse(url)) return { connectionString: url };
  const parsed = new URL(url);
  const words = wordsOf(parsed);
  if (Object.keys(words).length === 0) return { connectionString: url };
  for (const word of [...WORDS, 'uselibpqcompat']) parsed.searchParams.delete(word);
  return { connectionString: parsed.href, ssl: tlsOf(words) };
}

/** The TLS words of a URL's query. */
export function wordsOf({ searchParams }: URL): TlsWords {
  return Object.fromEntries(
    WORDS.flatMap((word) => {
      const value = searchParams.get(word);
      return value ? [[word, value]] : [];
    }),
  );
}

/** Spellings of the words as fields of a credential. */
const FIELDS: Readonly<Record<keyof TlsWords, readonly string[]>> = {
  sslmode: ['sslmode', 'ssl_mode', 'ssl'],
  sslrootcert: ['sslrootcert', 'ssl_root_cert'],
  sslcert: ['sslcert', 'ssl_cert'],
  sslkey: ['sslkey', 'ssl_key'],
};
/** What stands for a mode where people wrote yes or no. */
const SWITCH: ReadonlyMap<string, string> = new Map([
  ['true', 'require'],
  ['false', 'disable'],
]);

/** The TLS words of a credential's fields: `sslmode` (`ssl: true` is `require`), `sslrootcert`, `sslcert`, `sslkey`. */
export function wordsOfFields(data: Readonly<Record<string, unknown>>): TlsWords {
  return Object.fromEntries(
    WORDS.flatMap((word) => {
      const name = FIELDS[word].find((spelling) => (data[spelling] ?? '') !== '');
      if (name === undefined) return [];
      const said = String(data[name]);
      return [[word, word === 'sslmode' ? (SWITCH.get(said.toLowerCase()) ?? said) : said]];
    }),
  );
}

/** @throws TlsWordError */
export function tlsOf({ sslmode, sslrootcert, sslcert, sslkey }: TlsWords): ClientConfig['ssl'] {
  const verified = verifiedBy(sslmode, sslrootcert);
  if (verified === null) return false;
  const ca = sslrootcert === 'system' ? undefined : pem('sslrootcert', sslrootcert);
  return {
    rejectUnauthorized: verified !== 'nothing',
    ...(verified === 'chain' && { checkServerIdentity: anyName }),
    ...(ca !== undefined && { ca }),
    ...(sslcert !== undefined && { cert: pem('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: pem('sslkey', sslkey) }),
  };
}

function verifiedBy(
  sslmode: string | undefined,
  root: string | undefined,
): 'nothing' | 'chain' | 'name' | null {
  const mode = sslmode?.toLowerCase() ?? (root === undefined ? 'prefer' : 'require');
  if (!Object.hasOwn(MODES, mode)) {
    const known = Object.keys(MODES).join(', ');
    throw new TlsWordError(`sslmode '${mode}' is none of ${known}`);
  }
  // libpq: an authority is asked, once it is named.
  const verified = mode === 'require' && root !== undefined ? 'chain' : (MODES[mode] ?? null);
  // An authority that everybody gets certificates from vouches for names only.
  return verified === 'chain' && (root === undefined || root === 'system') ? 'name' : verified;
}

/** Named, so that two clients that differ in nothing else are told apart. */
function anyName(): undefined {
  return undefined;
}

function pem(word: string, value: string | undefined): string | undefined {
  if (value === undefined || value.includes('-----BEGIN ')) return value;
  try {
    return fs.readFileSync(value, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new TlsWordError(`${word} is neither PEM text nor a file that can be read (${code})`);
  }
}
