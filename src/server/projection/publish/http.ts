/** Messages over HTTP: one POST each, for CloudEvents the structured mode. */
import { Agent, request } from 'undici';
import { CodedError, messageOf } from '../../../language/errors';

import { type Publisher } from './publishing-sink';

const TIMEOUT_MS = 30_000;
/** Retryable 4xx statuses: request timeout, too early, too many requests. */
const LATER: readonly number[] = [408, 425, 429];

/**
 * @param kind begins the name of the sink
 * @param token sent as `Authorization: Bearer …`
 */
export function httpPublisher(kind: 'cloudevents' | 'openlineage', url: string, token?: string): Publisher {
  const target = new URL(url);
  const shown = `${target.origin}${target.pathname}`;
  const dispatcher = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  return {
    name: `${kind}:${shown}`,
    async publish({ id, contentType, body }) {
      const headers = { 'content-type': `${contentType}; charset=utf-8`, ...authorization };
      const status = await post(target, { dispatcher, headers, body }).catch((error: unknown) => {
        const message = `${shown} does not answer: ${messageOf(error)}`;
        throw new CodedError('SINK_UNREACHABLE', message, { retryable: true, cause: error });
      });
      if (status >= 200 && status < 300) return;
      throw new CodedError('SINK_REFUSED', `${shown} answered ${status} to event ${id}`, {
        retryable: status >= 500 || LATER.includes(status),
      });
    },
    close: () => dispatcher.close(),
  };
}

async function post(
  target: URL,
  options: { dispatcher: Agent; headers: Record<string, string>; body: string },
): Promise<number> {
  const { statusCode, body } = await request(target, { method: 'POST', ...options });
  await body.dump();
  return statusCode;
}
