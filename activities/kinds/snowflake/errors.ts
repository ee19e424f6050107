/** Maps errors of Snowflake and its driver to outcomes. */
import { compact, type ErrorKind } from '../../../src/language/plan';
import { rootCause } from '../../framework/tool/cause';
import { ToolError } from '../../framework/tool/outcome';

interface DriverError {
  readonly code?: number | string;
  readonly sqlState?: string;
  readonly response?: { readonly statusCode?: number; readonly status?: number };
  readonly cause?: { readonly code?: string };
}

/** The driver's own codes (its lib/error_code): server unreachable, invalid response. */
const COULD_NOT_CONNECT = 401001;
const BAD_STATUS = 401002;

/** Server codes that do not concern the SQL. */
const ERRORS: Readonly<Record<number, { readonly kind: ErrorKind; readonly retryable: boolean }>> = {
  // Another transaction locks the table; the same work may succeed later.
  625: { kind: 'sql', retryable: true },
  // A statement or warehouse timeout.
  630: { kind: 'timeout', retryable: true },
  // The query was cancelled by someone.
  604: { kind: 'sql', retryable: false },
  // No active warehouse: a configuration problem until someone resumes it.
  606: { kind: 'sql', retryable: false },
};

/** @param place `connect`, or the command, for the message */
export function snowflakeFailure(error: unknown, place: string): ToolError {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof ToolError) return one;
  const { code, sqlState, response, cause } = error as DriverError;
  const number = Number(code);
  const reason = rootCause(error).message.trim().split('\n')[0];
  const message = `snowflake: ${place}: ${reason || 'the answer cannot be read'}`;
  const fail = (kind: ErrorKind, name: string, retryable: boolean): ToolError =>
    new ToolError({
      kind,
      code: name,
      message,
      retryable,
      ...compact({ sqlstate: sqlState }),
    });
  if (number === COULD_NOT_CONNECT) {
    const name = cause?.code ?? '';
    return fail('connection', /^E[A-Z]+$/.test(name) ? name : 'CONNECTION_LOST', true);
  }
  if (number === BAD_STATUS) {
    const status = response?.statusCode ?? response?.status;
    const isAuth = status === 401 || status === 403;
    if (isAuth) return fail('auth', `HTTP_${status}`, false);
    return fail(
      status === 429 ? 'rate_limit' : 'server_error',
      status ? `HTTP_${status}` : 'BAD_ANSWER',
      true,
    );
  }
  // 390100 to 390999: sessions, tokens, users. Expired sessions (…12, …14) are worth a retry.
  if (number >= 390100 && number <= 390999) {
    const isGone = number === 390112 || number === 390114;
    return fail(isGone ? 'connection' : 'auth', `SNOWFLAKE_${number}`, isGone);
  }
  if (Number.isNaN(number)) return fail('server_error', 'BAD_ANSWER', true);
  const category = ERRORS[number] ?? { kind: 'sql' as const, retryable: false };
  return fail(category.kind, `SNOWFLAKE_${String(code).padStart(6, '0')}`, category.retryable);
}
