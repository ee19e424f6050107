/** A facade, over HTTP. */
import { compact } from '../../../language/plan';
import { EnvironmentError, messageOf } from '../../../language/errors';
import { configuredFacade, type FacadeAddress } from '../../../temporal/worker/facade-address';
import { UsageError } from '../../errors';
import { onlyId } from '../../input/here-only';
import { waitingFor } from '../../output/waiting';
import { type FacadePort } from './port';

/** The default address of `dev` and `serve`. */
const USUAL = 'http://127.0.0.1:8082';
/** A busy facade may take a moment. */
const SAY_AFTER_MS = 2_000;

/**
 * The facade of `--server`, else NOETL_FACADE_URL, else the default one; NOETL_TOKEN is its token. @throws
 * UsageError
 */
export function facadeOf(option: string | undefined): FacadePort {
  const env = { ...process.env, ...compact({ NOETL_FACADE_URL: option }) };
  try {
    return facadeAt(configuredFacade({ ...env, NOETL_FACADE_URL: env['NOETL_FACADE_URL'] || USUAL })!);
  } catch {
    throw new UsageError(`--server ${option ?? env['NOETL_FACADE_URL']}: expected e.g. ${USUAL}`);
  }
}

export function facadeAt({ url, token }: FacadeAddress): FacadePort {
  return {
    url,
    async fetch(path, { headers, ...request }) {
      const answer = fetch(`${url}${path}`, {
        ...request,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
        redirect: 'error',
      });
      try {
        const response = await waitingFor(`the facade at ${url}`, answer, SAY_AFTER_MS);
        const { status, body } = response;
        return {
          status,
          headers: response.headers,
          body: body && whole(body, url),
          json: () => jsonOf(response, url),
        };
      } catch (error) {
        throw unreachable(url, error);
      }
    },
    close: () => Promise.resolve(),
    idOf: (name) => Promise.resolve(onlyId([name])),
  };
}

/** An answer that is cut off is none. */
async function jsonOf(response: Response, url: string): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw unreachable(url, error);
  }
}

async function* whole(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    throw unreachable(url, error);
  }
}

function unreachable(url: string, error: unknown): EnvironmentError {
  const cause = (error as Error).cause ?? error;
  const why =
    (cause as NodeJS.ErrnoException).code === 'ERR_SSL_WRONG_VERSION_NUMBER'
      ? 'it speaks http, not https'
      : messageOf(cause).trim();
  return new EnvironmentError('FACADE_UNREACHABLE', `no facade answers at ${url}: ${why}`, [
    'Start one (noetl-temporal dev, or serve), or use another: --server URL, NOETL_FACADE_URL.',
  ]);
}
