/** Storage locations, as written in `NOETL_STORAGE` and `--storage`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { postgresTls, wordsOf } from '../postgres/address';
import { EnvironmentError, hasCode } from '../../language/errors';

export type Location =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly folder: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | {
      readonly kind: 's3' | 'gs';
      readonly bucket: string;
      /** Prefix of every key; empty or ending with a slash. */
      readonly prefix: string;
      readonly options: Readonly<Record<string, string>>;
    };

/** The location of a bucket. */
export type BucketLocation = Extract<Location, { readonly bucket: string }>;

const FORMS =
  'file:///folder, s3://bucket/prefix, gs://bucket/prefix, postgres://user:password@host/database, or none';
const OPTIONS = { s3: ['region', 'endpoint', 'path_style'], gs: ['endpoint', 'project'] } as const;

/**
 * One location, or several separated by commas: the first is written, all are read (so that a store can be replaced
 * while executions still refer to it). At most one of each kind.
 *
 * @throws EnvironmentError `STORAGE_INVALID`
 */
export function parseLocations(text: string): Location[] {
  const locations = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map(parseLocation);
  if (locations.length === 0) throw invalid(text, 'names no store');
  const kinds = locations.map((one) => one.kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice) throw invalid(text, `names two stores of kind ${twice}; references could not tell them apart`);
  if (kinds.length > 1 && kinds.includes('none'))
    throw invalid(text, 'is invalid: `none` cannot be combined with another store');
  return locations;
}

function parseLocation(text: string): Location {
  if (text === 'none') return { kind: 'none' };
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid(text, 'is not a URL');
  }
  switch (url.protocol) {
    case 'file:':
      if (url.host || !/^file:\/\/\/[^/]/.test(text)) {
        throw invalid(text, 'needs an absolute path after three slashes: file:///var/lib/noetl/blobs');
      }
      return { kind: 'file', folder: path.resolve(fileURLToPath(url)) };
    case 'postgres:':
    case 'postgresql:':
      checkWords(url, text);
      return { kind: 'postgres', url: text };
    case 's3:':
    case 'gs:':
      return bucketOf(url, url.protocol === 's3:' ? 's3' : 'gs', text);
    default:
      throw invalid(text, `has an unsupported scheme (${url.protocol}//)`);
  }
}

function checkWords(url: URL, text: string): void {
  try {
    postgresTls(wordsOf(url));
  } catch (error) {
    throw hasCode(error, 'TLS_WORD') ? invalid(text, `is invalid: ${error.message}`) : error;
  }
}

function bucketOf(url: URL, kind: 's3' | 'gs', text: string): Location {
  if (!url.hostname) throw invalid(text, 'has no bucket');
  if (url.username || url.password) {
    throw invalid(
      text,
      'contains a key: credentials must come from the environment (AWS_…, GOOGLE_APPLICATION_CREDENTIALS)',
    );
  }
  const options = Object.fromEntries(url.searchParams);
  const allowed: readonly string[] = OPTIONS[kind];
  const unknown = Object.keys(options).find((name) => !allowed.includes(name));
  if (unknown) throw invalid(text, `has an unknown option '${unknown}' (there are ${allowed.join(', ')})`);
  const inner = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return { kind, bucket: url.hostname, prefix: inner === '' ? '' : `${inner}/`, options };
}

function invalid(text: string, what: string): EnvironmentError {
  const shown = text.replace(/:\/\/[^@/]*@/, '://***@').replace(/(sslkey=)[^&]*/, '$1***');
  return new EnvironmentError('STORAGE_INVALID', `storage "${shown}" ${what}`, [`Give ${FORMS}.`]);
}
