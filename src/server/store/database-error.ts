/** Database errors as messages: which database, what went wrong, how to fix it. Never its password. */
import { EnvironmentError, messageOf } from '../../language/errors';
import { isUnavailable } from '../../storage/postgres';

interface Rejection {
  readonly code: string;
  readonly message: (where: string, reason: string) => string;
  readonly fix: string;
}

const DENIED: Rejection = {
  code: 'DATABASE_DENIED',
  message: (where, reason) => `The database at ${where} rejected the login: ${reason}`,
  fix: 'Check the user and the password of the URL (--database, DATABASE_URL).',
};
const UNREACHABLE: Rejection = {
  code: 'DATABASE_UNREACHABLE',
  message: (where, reason) => `No database responds at ${where}: ${reason}`,
  fix: 'Check the host and port of the URL (--database, DATABASE_URL) and that the server runs.',
};
const UNTRUSTED: Rejection = {
  code: 'DATABASE_TLS',
  message: (where, reason) => `The certificate of the database at ${where} is not trusted: ${reason}`,
  fix: 'Set its authority in the URL: sslrootcert=FILE (--database, DATABASE_URL).',
};
const NO_TLS = /does not support SSL/;

/** By SQLSTATE or system error code. */
const REJECTIONS: Readonly<Record<string, Rejection>> = {
  '28P01': DENIED,
  '28000': DENIED,
  '3D000': {
    code: 'DATABASE_NOT_FOUND',
    message: (where, reason) => `${where}: ${reason}`,
    fix: 'Create it (CREATE DATABASE …) or use another.',
  },
  '42501': {
    code: 'DATABASE_PRIVILEGES',
    message: (where, reason) => `The user of the database at ${where} lacks a permission: ${reason}`,
    fix: 'Grant it CREATE on the database, or let its owner run the command once.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
};

/** Converts a database error to an EnvironmentError if users can fix it; others are returned unchanged. */
export function databaseError(url: string, error: unknown): unknown {
  if (error instanceof EnvironmentError) return error;
  const { code = '' } = error as { code?: string };
  // A host with two addresses fails with an AggregateError, which has no message of its own.
  const reason = error instanceof AggregateError ? code : messageOf(error);
  const entry = REJECTIONS[code] ?? (isUnavailable(error) ? UNREACHABLE : undefined);
  if (NO_TLS.test(reason))
    return new EnvironmentError(
      'DATABASE_TLS',
      `The database at ${shownDatabase(url)} does not support TLS, which sslmode requires.`,
      ['Configure a certificate on the server, or remove sslmode from the URL (--database, DATABASE_URL).'],
      { cause: error },
    );
  if (!entry) return error;
  return new EnvironmentError(entry.code, entry.message(shownDatabase(url), reason), [entry.fix], {
    cause: error,
  });
}

/** `host:port/database` of a URL, without secrets. */
export function shownDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || 5432}${pathname}`;
}
