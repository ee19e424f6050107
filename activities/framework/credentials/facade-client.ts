/** Requests from workers to the facade for secrets, with common error handling. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GRANT_HEADER, isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { rootCause } from '../tool/cause';
import { type ToolFailure, ToolError } from '../tool/outcome';

export interface FacadeAddress {
  /** `http://facade:8082`, with a path before `/api` if a proxy needs one. */
  readonly url: string;
  /** A bearer token of scope `worker`; absent for a facade on loopback that requires none. */
  readonly token?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const LIMIT_MS = 10_000;
/** Long enough for a facade to restart; afterwards the task fails and the playbook's rules decide. */
const PAUSES_MS: readonly number[] = [200, 1000];

/**
 * `NOETL_FACADE_URL` and `NOETL_TOKEN`; undefined without the first.
 *
 * @throws ToolError `FACADE_INVALID` for an invalid address
 */
export function configuredFacade(env: Env = process.env): FacadeAddress | undefined {
  const url = env['NOETL_FACADE_URL']?.trim();
  if (!url) return undefined;
  const token = env['NOETL_TOKEN']?.trim();
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw failure('validation', 'FACADE_INVALID', 'NOETL_FACADE_URL is not an http(s) address');
  return { url: url.replace(/\/+$/, ''), ...(token && { token }) };
}

export interface FacadeRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** `/api/…` */
  readonly path: string;
  readonly body?: JsonObject;
  /** Of the task that needs it. */
  readonly grant?: string;
  /** What is requested, for messages. */
  readonly what: string;
}

export interface Patience {
  /** Delays before each further attempt. */
  readonly pausesMs: readonly number[];
  /** Time limit of one attempt. */
  readonly limitMs: number;
}

const USUAL: Patience = { pausesMs: PAUSES_MS, limitMs: LIMIT_MS };

/**
 * The facade's response; undefined for "not found". Retries while the facade is unreachable or busy.
 *
 * @throws ToolError `FACADE_DENIED` (kind auth), `FACADE_UNREACHABLE` (connection, retryable), `FACADE_FAILED` or the
 * facade's own code (server_error, retryable), `FACADE_INVALID` when the server at the address is not a facade
 */
export async function askFacade(
  facade: FacadeAddress,
  request: FacadeRequest,
  { pausesMs, limitMs }: Patience = USUAL,
): Promise<JsonObject | undefined> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await askOnce(facade, request, limitMs);
    } catch (error) {
      const pause = pausesMs[tried];
      const isWorthIt = error instanceof ToolError && error.outcome.error!.retryable;
      if (!isWorthIt || pause === undefined) throw error;
      await sleep(pause);
    }
  }
}

async function askOnce(
  facade: FacadeAddress,
  request: FacadeRequest,
  limitMs: number,
): Promise<JsonObject | undefined> {
  let response: Response;
  try {
    response = await fetch(`${facade.url}${request.path}`, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(facade.token && { authorization: `Bearer ${facade.token}` }),
        ...(request.grant !== undefined && { [GRANT_HEADER]: request.grant }),
        ...(request.body && { 'content-type': 'application/json' }),
      },
      ...(request.body && { body: JSON.stringify(request.body) }),
      // The token must not be sent to any other address, so no redirects.
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
  } catch (error) {
    const cause = rootCause((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const why = cause.code ?? cause.message;
    throw failure('connection', 'FACADE_UNREACHABLE', `${shown(facade)} is not responding (${why})`, true);
  }
  const body = await bodyOf(response);
  if (response.ok && body) return body;
  return refused(facade, request, response.status, body);
}

async function bodyOf(response: Response): Promise<JsonObject | undefined> {
  const body = (await response.json().catch(() => undefined)) as Json | undefined;
  return isMapping(body) ? (body as JsonObject) : undefined;
}

/** @returns undefined when not found */
function refused(
  facade: FacadeAddress,
  { what }: FacadeRequest,
  status: number,
  body: JsonObject | undefined,
): undefined {
  const where = shown(facade);
  const code = typeof body?.['code'] === 'string' ? body['code'] : undefined;
  const detail = typeof body?.['detail'] === 'string' ? `: ${body['detail']}` : '';
  // Our facade returns a code; NoETL's own server only a message. Any other 404 does not answer the request.
  if (
    status === 404 &&
    (code?.endsWith('NOT_FOUND') || code === 'NOT_CACHED' || detail.endsWith('Credential not found'))
  )
    return undefined;
  if (status === 401 || status === 403) {
    const fix = facade.token
      ? (FIXES[code ?? ''] ?? 'NOETL_TOKEN must be a token of scope worker')
      : 'set NOETL_TOKEN to a token of scope worker (noetl-temporal tokens create)';
    throw failure('auth', 'FACADE_DENIED', `${where} denied ${what} (${status}${detail}); ${fix}`);
  }
  if (status >= 500 || status === 429) {
    const isBusy = status === 429;
    throw failure(
      isBusy ? 'rate_limit' : 'server_error',
      code ?? 'FACADE_FAILED',
      `${where} failed to answer ${what} (${status}${detail})`,
      // A missing key or a damaged credential will not recover by retrying.
      !/^(KEY_|CIPHERTEXT_)/.test(code ?? ''),
    );
  }
  throw failure(
    'validation',
    'FACADE_INVALID',
    `the server at ${where} is not a NoETL facade (${status}${detail} for ${what}); check NOETL_FACADE_URL`,
  );
}

const FIXES: Readonly<Record<string, string>> = {
  CREDENTIAL_REFUSED: 'use another credential, or a worker whose NOETL_TOKEN may read it',
  GRANT_MISSING: 'give the workers of workflows NOETL_SECRETS_KEY, with which they make grants',
  GRANT_REFUSED:
    'name the credential in the task that uses it, and run the task on a worker of its kind and pool',
};

function failure(kind: ToolFailure['kind'], code: string, message: string, retryable = false): ToolError {
  return new ToolError({ kind, code, message, retryable });
}

/** Strips a user and password from the URL. */
function shown({ url }: FacadeAddress): string {
  const { origin, pathname } = new URL(url);
  return `the facade at ${origin}${pathname === '/' ? '' : pathname}`;
}
