/** Commands that speak to a facade: where it is, what it answers, and what goes wrong, in the user's words. */
import { isMapping } from '../../../plan';
import { EnvironmentError, messageOf } from '../../../temporal';
import { configuredFacade, type FacadeAddress } from '../../../worker';
import { UsageError } from '../../errors';

/** Where `dev` and `serve` listen unless told otherwise. */
const USUAL = 'http://127.0.0.1:8082';
const LIMIT_MS = 60_000;

/** The facade that `--server` names, else NOETL_FACADE_URL, else the usual one; NOETL_TOKEN opens it. @throws UsageError */
export function serverOf(option: string | undefined): FacadeAddress {
  const env = { ...process.env, ...(option !== undefined && { NOETL_FACADE_URL: option }) };
  try {
    return configuredFacade({ ...env, NOETL_FACADE_URL: env['NOETL_FACADE_URL'] || USUAL })!;
  } catch {
    throw new UsageError(`--server ${option ?? env['NOETL_FACADE_URL']}: expected e.g. ${USUAL}`);
  }
}

export interface Asking {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The facade refused: its status, code and words. */
export class RefusedRequest extends UsageError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * What the facade answers.
 *
 * @throws RefusedRequest for what is wrong with the request; EnvironmentError `FACADE_UNREACHABLE`, `FACADE_DENIED`,
 *   `FACADE_FAILED`
 */
export async function askServer<T>(server: FacadeAddress, path: string, asking: Asking = {}): Promise<T> {
  const { status, body } = await send(server, path, asking);
  if (status < 300) return body as T;
  const said = isMapping(body) && typeof body['detail'] === 'string' ? body['detail'] : `HTTP ${status}`;
  if (status === 401 || status === 403)
    throw new EnvironmentError('FACADE_DENIED', `${server.url} refuses: ${said}`, [
      'Set NOETL_TOKEN to a token that may (noetl-temporal tokens create).',
    ]);
  if (status < 500 && status !== 429) throw new RefusedRequest(status, said);
  throw new EnvironmentError('FACADE_FAILED', `${server.url} failed: ${said}`, ['Its log says why.']);
}

async function send(
  { url, token }: FacadeAddress,
  path: string,
  { method = 'GET', body, headers }: Asking,
): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  } catch (error) {
    const why = messageOf((error as Error).cause ?? error);
    throw new EnvironmentError('FACADE_UNREACHABLE', `no facade answers at ${url}: ${why}`, [
      'Start one (noetl-temporal dev, or serve), or name another: --server URL, NOETL_FACADE_URL.',
    ]);
  }
}
