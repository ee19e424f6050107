/**
 * The address of a Postgres and its TLS settings, with libpq's meaning: in pg `sslmode` differs (`require` demands
 * a certificate of a public authority, `prefer` rejects a server without TLS), so we would differ from psql.
 */
import fs from 'node:fs';
import { type ClientConfig } from 'pg';
import { CodedError } from '../../language/errors';
import { PreferTls } from './prefer-tls';

/** libpq's settings; each is optional. */
export interface TlsWords {
  readonly sslmode?: string;
  /** PEM text, a file, or `system`: trusted authorities. */
  readonly sslrootcert?: string;
  /** PEM text or a file: our certificate. */
  readonly sslcert?: string;
  readonly sslkey?: string;
}

/**
 * Of a client's configuration. The identity is also attached to the function, so that clients can be distinguished
 * by it.
 */
export type PostgresTlsOptions = Pick<ClientConfig, 'ssl' | 'stream'>;

const WORDS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

/** What is verified: nothing, the chain, or the server's name as well. */
type Verified = 'nothing' | 'chain' | 'name';

const MODES: Readonly<Record<string, Verified | 'no TLS' | 'TLS where there is'>> = {
  disable: 'no TLS',
  // libpq would try without TLS first; a server that accepts both accepts TLS first.
  allow: 'TLS where there is',
  prefer: 'TLS where there is',
  require: 'nothing',
  'no-verify': 'nothing',
  'verify-ca': 'chain',
  'verify-full': 'name',
};

/**
 * The client options for a URL, with TLS settings interpreted as by libpq.
 *
 * @throws CodedError `TLS_WORD` for an unknown mode, or a file that cannot be read
 */
export function addressOf(url: string): ClientConfig {
  const words = URL.canParse(url) ? wordsOf(new URL(url)) : {};
  return { connectionString: withoutWords(url), ...postgresTls(words) };
}

/** The URL without TLS settings, which pg would interpret differently. */
export function withoutWords(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  for (const word of [...WORDS, 'ssl', 'uselibpqcompat']) parsed.searchParams.delete(word);
  return parsed.href;
}

/** Values used by drivers other than libpq's in a URL: as in JDBC and pg, "true" is the strictest mode. */
const URL_SWITCH: ReadonlyMap<string, string> = new Map([
  ['true', 'verify-full'],
  ['1', 'verify-full'],
  ['false', 'disable'],
  ['0', 'disable'],
]);

/** The TLS settings in a URL's query; `ssl` is used if there is no `sslmode`. */
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

/** Spellings of the settings as fields of a credential. */
const FIELDS: Readonly<Record<keyof TlsWords, readonly string[]>> = {
  sslmode: ['sslmode', 'ssl_mode', 'ssl'],
  sslrootcert: ['sslrootcert', 'ssl_root_cert'],
  sslcert: ['sslcert', 'ssl_cert'],
  sslkey: ['sslkey', 'ssl_key'],
};
/** The modes for boolean values. */
const SWITCH: ReadonlyMap<string, string> = new Map([
  ['true', 'require'],
  ['false', 'disable'],
]);

/**
 * The TLS settings in a credential's fields: `sslmode` (`ssl: true` is `require`), `sslrootcert`, `sslcert`,
 * `sslkey`.
 */
export function wordsOfFields(data: Readonly<Record<string, unknown>>): TlsWords {
  return Object.fromEntries(
    WORDS.flatMap((word) => {
      const name = FIELDS[word].find((spelling) => (data[spelling] ?? '') !== '');
      if (name === undefined) return [];
      const value = String(data[name]);
      return [[word, word === 'sslmode' ? (SWITCH.get(value.toLowerCase()) ?? value) : value]];
    }),
  );
}

/**
 * The client options for these settings. The default mode is `PGSSLMODE`, or `prefer`.
 *
 * @throws CodedError `TLS_WORD`
 */
export function postgresTls({ sslmode, sslrootcert, sslcert, sslkey }: TlsWords): PostgresTlsOptions {
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
  const value = sslmode ?? (root === undefined ? process.env['PGSSLMODE'] || 'prefer' : 'require');
  const word = value.toLowerCase();
  if (!Object.hasOwn(MODES, word)) {
    const allowed = Object.keys(MODES).join(', ');
    throw new CodedError('TLS_WORD', `sslmode '${value}' is not one of ${allowed}`);
  }
  // As in libpq: a named authority is verified.
  const mode = word === 'require' && root !== undefined ? 'chain' : MODES[word]!;
  // A public authority issues certificates to anyone, so the name must be verified.
  return mode === 'chain' && (root === undefined || root === 'system') ? 'name' : mode;
}

/** A named function, so that clients that differ in nothing else can be distinguished. */
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
