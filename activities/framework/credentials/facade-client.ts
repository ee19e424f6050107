/** How workers ask the facade for secrets: one way to send, one way to fail. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isMapping, type Json, type JsonObject } from '../../../src/plan';
import { rootCause } from '../tool/cause';
import { type Failure, ToolError } from '../tool/outcome';

export interface FacadeAddress {
  /** `http://facade:8082`, with a path before `/api` where a proxy wants one. */
  readonly url: string;
  /** A bearer token of scope `worker`; absent for a facade on loopback that asks for none. */
  readonly token?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const LIMIT_MS = 10_000;
/** A facade that restarts is back by then; who waits longer is told, and the playbook's rules decide. */
const PAUSES_MS: readonly number[] = [200, 1000];

/**
 * `NOETL_FACADE_URL` and `NOETL_TOKEN`; undefined without the first.
 *
 * @throws ToolError `FACADE_INVALID` for an address that is none
 */
export function configuredFacade(env: Env = process.env): FacadeAddress | undefined {
  const url = env['NOETL_FACADE_URL']?.trim();
  if (!url) return undefined;
  const token = env['NOETL_TOKEN']?.trim();
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw failure('validation', 'FACADE_INVALID', 'NOETL_FACADE_URL is no http(s) address');
  return { url: url.replace(/\/+$/, ''), ...(token && { token }) };
}

export interface FacadeRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** `/api/…` */
  readonly path: string;
  readonly body?: JsonObject;
  /** For messages: what is asked for. */
  readonly what: string;
}

export interface Patience {
  /** Before each further try. */
  readonly pausesMs: readonly number[];
  /** Of one try. */
  readonly limitMs: number;
}

const USUAL: Patience = { pausesMs: PAUSES_MS, limitMs: LIMIT_MS };

/**
 * What the facade answers; undefined when it has no such thing. Tries again for a facade that is away or busy.
 *
 * @throws ToolError `FACADE_DENIED` (kind auth), `FACADE_UNREACHABLE` (connection, retryable), `FACADE_FAILED` or the
 *   facade's own code (server_error, retryable), `FACADE_INVALID` when something else answers at the address
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
        ...(request.body && { 'content-type': 'application/json' }),
      },
      ...(request.body && { body: JSON.stringify(request.body) }),
      // The token goes to this address and to no other.
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    });
  } catch (error) {
    const cause = rootCause((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const why = cause.code ?? cause.message;
    throw failure('connection', 'FACADE_UNREACHABLE', `${shown(facade)} does not answer (${why})`, true);
  }
  const body = await bodyOf(response);
  if (response.ok && body) return body;
  return refused(facade, request, response.status, body);
}

async function bodyOf(response: Response): Promise<JsonObject | undefined> {
  const body = (await response.json().catch(() => undefined)) as Json | undefined;
  return isMapping(body) ? (body as JsonObject) : undefined;
}

/** @returns undefined for what is not there */
function refused(
  facade: FacadeAddress,
  { what }: FacadeRequest,
  status: number,
  body: JsonObject | undefined,
): undefined {
  const where = shown(facade);
  const code = typeof body?.['code'] === 'string' ? body['code'] : undefined;
  const detail = typeof body?.['detail'] === 'string' ? `: ${body['detail']}` : '';
  // Ours has a code; NoETL's own server says it in words. A 404 of anybody else is not an answer to our question.
  if (
    status === 404 &&
    (code?.endsWith('NOT_FOUND') || code === 'NOT_CACHED' || detail.endsWith('Credential not found'))
  )
    return undefined;
  if (status === 401 || status === 403) {
    const fix = facade.token
      ? 'NOETL_TOKEN must be a token of scope worker'
      : 'set NOETL_TOKEN to a token of scope worker (noetl-temporal tokens create)';
    throw failure('auth', 'FACADE_DENIED', `${where} refuses ${what} (${status}${detail}); ${fix}`);
  }
  if (status >= 500 || status === 429) {
    const isBusy = status === 429;
    throw failure(
      isBusy ? 'rate_limit' : 'server_error',
      code ?? 'FACADE_FAILED',
      `${where} failed to answer ${what} (${status}${detail})`,
      // A key that is missing or a damaged credential do not mend themselves.
      !/^(KEY_|CIPHERTEXT_)/.test(code ?? ''),
    );
  }
  throw failure(
    'validation',
    'FACADE_INVALID',
    `what answers at ${where} is no facade of NoETL (${status}${detail} for ${what}); check NOETL_FACADE_URL`,
  );
}

function failure(kind: Failure['kind'], code: string, message: string, retryable = false): ToolError {
  return new ToolError({ kind, code, message, retryable });
}

/** Without a user and a password that may stand in it. */
function shown({ url }: FacadeAddress): string {
  const { origin, pathname } = new URL(url);
  return `the facade at ${origin}${pathname === '/' ? '' : pathname}`;
}
