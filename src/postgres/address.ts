/**
 * Where a Postgres is and how it is spoken to, with the words of libpq: pg has `sslmode` mean something else (`require`
 * demands a certificate of a public authority, `prefer` refuses a server without TLS), and so psql and we would differ.
 */
import fs from 'node:fs';
import { type ClientConfig } from 'pg';
import { CodedError } from '../errors';
import { PreferTls } from './prefer-tls';

/** libpq's; each may be missing. */
export interface TlsWords {
  readonly sslmode?: string;
  /** PEM text, a file, or `system`: whom to trust. */
  readonly sslrootcert?: string;
  /** PEM text or a file: who we are. */
  readonly sslcert?: string;
  readonly sslkey?: string;
}

/** Of a client's configuration. The identity stands on the function too, where whoever tells clients apart can see it. */
export type TlsOptions = Pick<ClientConfig, 'ssl' | 'stream'>;

const WORDS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

/** What is verified: nothing, the chain, or the name of the server as well. */
type Verified = 'nothing' | 'chain' | 'name';

const MODES: Readonly<Record<string, Verified | 'no TLS' | 'TLS where there is'>> = {
  disable: 'no TLS',
  // libpq would try without first. Whoever takes both has no less of us beginning with TLS.
  allow: 'TLS where there is',
  prefer: 'TLS where there is',
  require: 'nothing',
  'no-verify': 'nothing',
  'verify-ca': 'chain',
  'verify-full': 'name',
};

/**
 * The options of a client for a URL, whose TLS words are read as libpq reads them.
 *
 * @throws CodedError `TLS_WORD` for a mode that there is not, or a file that cannot be read
 */
export function addressOf(url: string): ClientConfig {
  const words = URL.canParse(url) ? wordsOf(new URL(url)) : {};
  return { connectionString: withoutWords(url), ...tlsOf(words) };
}

/** A URL that says nothing of TLS, for whoever read its words: pg would read them its own way. */
export function withoutWords(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  for (const word of [...WORDS, 'ssl', 'uselibpqcompat']) parsed.searchParams.delete(word);
  return parsed.href;
}

/** What drivers other than libpq's call a mode in a URL: yes is, as with JDBC and pg, the strictest. */
const URL_SWITCH: ReadonlyMap<string, string> = new Map([
  ['true', 'verify-full'],
  ['1', 'verify-full'],
  ['false', 'disable'],
  ['0', 'disable'],
]);

/** The TLS words of a URL's query; `ssl`, too, where there is no `sslmode`. */
export function wordsOf({ searchParams }: URL): TlsWords {
  const ssl = searchParams.get('ssl');
  return Object.fromEntries([
    ...(ssl ? [['sslmode', URL_SWITCH.get(ssl.toLowerCase()) ?? ssl]] : []),
    ...WORDS.flatMap((word) => {
      const value = searchParams.get(word);
      return value ? [[word, value]] : [];
    }),
  ]) as TlsWords;
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

/**
 * What a client is opened with for these words. Without a mode it is `PGSSLMODE`, or `prefer`.
 *
 * @throws CodedError `TLS_WORD`
 */
export function tlsOf({ sslmode, sslrootcert, sslcert, sslkey }: TlsWords): TlsOptions {
  const mode = modeOf(sslmode, sslrootcert);
  if (mode === 'no TLS') return { ssl: false };
  const identity = {
    ...(sslcert !== undefined && { cert: pem('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: pem('sslkey', sslkey) }),
  };
  if (mode === 'TLS where there is')
    return { ssl: false, stream: Object.assign(() => new PreferTls(identity), identity) };
  const ca = sslrootcert === 'system' ? undefined : pem('sslrootcert', sslrootcert);
  return {
    ssl: {
      rejectUnauthorized: mode !== 'nothing',
      ...(mode === 'chain' && { checkServerIdentity: anyName }),
      ...(ca !== undefined && { ca }),
      ...identity,
    },
  };
}

function modeOf(sslmode: string | undefined, root: string | undefined): (typeof MODES)[string] {
  const said = sslmode ?? (root === undefined ? process.env['PGSSLMODE'] || 'prefer' : 'require');
  const word = said.toLowerCase();
  if (!Object.hasOwn(MODES, word)) {
    const known = Object.keys(MODES).join(', ');
    throw new CodedError('TLS_WORD', `sslmode '${said}' is not one of ${known}`);
  }
  // libpq: an authority is asked, once it is named.
  const mode = word === 'require' && root !== undefined ? 'chain' : MODES[word]!;
  // An authority that everybody gets certificates from vouches for names only.
  return mode === 'chain' && (root === undefined || root === 'system') ? 'name' : mode;
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
    throw new CodedError('TLS_WORD', `${word} is neither PEM text nor a readable file (${code})`);
  }
}
