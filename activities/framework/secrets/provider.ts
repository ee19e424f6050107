/** The table of secret providers, and their common errors. */
import { type ErrorKind, type SecretReference } from '../../../src/language/plan';
import { type Credential } from '../credentials';
import { rootCause } from '../tool/cause';
import { ToolError } from '../tool/outcome';

export interface SecretRequest {
  readonly ref: SecretReference;
  /** The credential named by `auth`. */
  readonly credential: Credential | undefined;
  readonly execution_id: string;
  readonly signal: AbortSignal;
}

export interface SecretValue {
  readonly text: string;
  /** The provider's name for the version that was read. */
  readonly version?: string;
}

/** @throws ToolError of `secretError` */
export type SecretProvider = (request: SecretRequest) => Promise<SecretValue>;

const CODES = {
  missing: ['not_found', 'SECRET_NOT_FOUND', false],
  denied: ['auth', 'SECRET_DENIED', false],
  unreachable: ['connection', 'SECRET_UNREACHABLE', true],
  busy: ['rate_limit', 'SECRET_BUSY', true],
  failed: ['server_error', 'SECRET_PROVIDER', true],
} as const satisfies Record<string, readonly [ErrorKind, string, boolean]>;

/** Never contains any part of the value; `why` is the provider's reason. */
export function secretError(
  what: keyof typeof CODES,
  { provider, secret }: SecretReference,
  why: string,
): ToolError {
  const [kind, code, retryable] = CODES[what];
  const message = `secrets: ${provider} could not provide '${secret}': ${why}`;
  return new ToolError({ kind, code, message, retryable, provider, secret });
}

/** Maps an HTTP status. */
export function refusedBy(status: number, ref: SecretReference, why: string): ToolError {
  const what =
    status === 404
      ? 'missing'
      : status === 401 || status === 403
        ? 'denied'
        : status === 429
          ? 'busy'
          : 'failed';
  return secretError(what, ref, why || `status ${status}`);
}

export function unreachable(error: unknown, ref: SecretReference): ToolError {
  const { code, message } = rootCause(error) as NodeJS.ErrnoException;
  return secretError('unreachable', ref, code ?? message);
}
