/** Maps Postgres errors to outcomes. */
import { DatabaseError } from 'pg';
import { isRetryableSql } from '../../../src/language/kinds/failures';
import { type Json, type Outcome } from '../../../src/language/plan';
import { rootCause } from '../../framework/tool/cause';
import { type ToolFailure } from '../../framework/tool/outcome';
import { isTlsFailure, tlsHint } from '../../framework/tool/tls-failure';

type PgPart = NonNullable<Outcome['pg']>;

/** Wrong password, unknown role, not allowed to connect. */
function isAuth(sqlstate: string): boolean {
  return sqlstate.startsWith('28') || sqlstate === '42501';
}

export interface SqlFailure {
  readonly failure: ToolFailure;
  readonly pg: PgPart;
}

/** @param index of the statement that failed; undefined when no statement was reached */
export function sqlFailure(error: unknown, index: number | undefined): SqlFailure {
  const place = index === undefined ? '' : `command_${index}: `;
  if (!(error instanceof DatabaseError) || !error.code) return connectionFailure(error, place);
  const sqlstate = error.code;
  const extra = [
    error.detail && `detail: ${error.detail}`,
    error.hint && `hint: ${error.hint}`,
    error.position && `at character ${error.position}`,
  ].filter(Boolean);
  const message = `${place}${error.message}${extra.length ? ` (${extra.join('; ')})` : ''} [SQLSTATE ${sqlstate}]`;
  const lost = /^(57P0|08)/.test(sqlstate);
  // 57014 is also used when an operator cancels; only the message distinguishes them.
  const late = sqlstate === '57014' && /statement timeout/.test(error.message);
  return {
    failure: {
      kind: late ? 'timeout' : lost ? 'connection' : isAuth(sqlstate) && index === undefined ? 'auth' : 'sql',
      code: `SQLSTATE_${sqlstate}`,
      message,
      retryable: late || isRetryableSql(sqlstate),
    },
    pg: {
      code: sqlstate,
      sqlstate,
      severity: orNull(error.severity),
      message: error.message,
      detail: orNull(error.detail),
      hint: orNull(error.hint),
      position: orNull(error.position),
      schema: orNull(error.schema),
      table: orNull(error.table),
      column: orNull(error.column),
      constraint: orNull(error.constraint),
      command: index ?? null,
    },
  };
}

function connectionFailure(error: unknown, place: string): SqlFailure {
  const cause = rootCause(error);
  const code = (cause as NodeJS.ErrnoException).code;
  const isPlain = /does not support SSL/.test(cause.message);
  if (isPlain || isTlsFailure(code ?? '')) {
    const why = isPlain
      ? 'the server does not support TLS, which sslmode requires'
      : `TLS failed (${code})${tlsHint(code!, { ca: 'sslrootcert', identity: 'sslcert, sslkey' })}`;
    return {
      failure: { kind: 'connection', code: 'TLS_ERROR', message: `${place}${why}`, retryable: false },
      pg: { code: null, sqlstate: null },
    };
  }
  const message = `${place}no connection to the database: ${cause.message || code || 'unknown error'}`;
  return {
    failure: {
      kind: 'connection',
      code: code && /^E[A-Z]+$/.test(code) ? code : 'CONNECTION_LOST',
      message,
      retryable: true,
    },
    pg: { code: null, sqlstate: null },
  };
}

function orNull(value: string | undefined): Json {
  return value ?? null;
}
