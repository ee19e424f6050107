/** Requests of the official client, sent as those of `http`: the same credentials, guards, proxies and limits. */
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js' with {
  'resolution-mode': 'import',
};
import { isMapping, type JsonObject } from '../../../src/language/plan';
import { type DigitsLost } from '../../../src/language/plan/json-text';
import { statusFailure, transportFailure } from '../../framework/http/errors';
import { type RequestBase } from '../../framework/http/request';
import { exchange, type HttpResponse, readBody } from '../../framework/http/transport';
import { shortenedText } from '../../framework/tool/bounded';
import { ToolError } from '../../framework/tool/outcome';
import { events, rpcMessage } from './messages';
import { type LinkLimits } from './server';

export interface RpcSender extends LinkLimits {
  readonly base: RequestBase;
  /** The author's. */
  readonly headers: Record<string, string>;
  readonly digitsLost: DigitsLost | undefined;
}

const ERROR_BYTES = 64 * 1024;

/** @returns a `fetch` that throws ToolError for a response that is not an MCP message */
export function senderOf(sender: RpcSender): FetchLike {
  return async (address, init = {}) => {
    const own = Object.fromEntries(new Headers(init.headers).entries());
    const method = init.method ?? 'GET';
    // The client offers a stream for messages that answer no request. Nothing here reads those.
    if (method === 'GET' && own['last-event-id'] === undefined) return new Response(null, { status: 405 });
    const body = typeof init.body === 'string' ? init.body : undefined;
    const message = body === undefined ? undefined : rpcMessage(body, undefined);
    const url = new URL(address);
    const limits = { ...sender.base, maxResponseBytes: sender.maxResponseBytes };
    try {
      const response = await exchange({
        ...limits,
        ...sender.base.identified(url, { ...sender.headers, ...own }),
        method,
        body,
        signal: init.signal ?? sender.base.signal,
      });
      return await received(method, response, sender, message);
    } catch (error) {
      const failure = expired(transportFailure(method, url, error, limits), own);
      // The client would retry a resumed stream forever.
      if (method === 'GET') sender.fail(failure);
      throw failure;
    }
  };
}

async function received(
  method: string,
  response: HttpResponse,
  { digitsLost, fail, base }: RpcSender,
  message: JsonObject | undefined,
): Promise<Response> {
  const { status, url } = response;
  if (status < 200 || status > 299) throw await refusal(method, response);
  const type = String(response.headers['content-type'] ?? '');
  const headers = { 'content-type': type, ...sessionOf(response) };
  if (/^text\/event-stream\b/i.test(type)) {
    const onLost = (error: unknown): void => fail(transportFailure(method, url, error, base));
    const stream = ReadableStream.from(events(response.pieces, { digitsLost, onLost }));
    return new Response(stream as unknown as ReadableStream, { status, headers });
  }
  const text = (await readBody(response)).toString('utf8');
  if (message?.['id'] === undefined) return new Response(null, { status: 202, headers });
  const answer = /^application\/json\b/i.test(type) ? rpcMessage(text, digitsLost) : undefined;
  if (answer) return new Response(JSON.stringify(answer), { status, headers });
  throw new ToolError({
    kind: 'server_error',
    code: 'NO_MCP_ANSWER',
    message: `${method} ${url.origin}${url.pathname} answered ${status} with no message of MCP (${type || 'no content type'}): ${shortenedText(text, 200)}`,
  });
}

function sessionOf({ headers }: HttpResponse): Record<string, string> {
  const id = headers['mcp-session-id'];
  return id === undefined ? {} : { 'mcp-session-id': String(id) };
}

/** A response that is not 2xx, with the JSON-RPC error in its body, if there is one. */
async function refusal(method: string, response: HttpResponse): Promise<ToolError> {
  const failure = statusFailure(method, response);
  const body = await readBody(response, ERROR_BYTES).catch(() => Buffer.alloc(0));
  const answer = rpcMessage(body.toString('utf8'), undefined)?.['error'];
  const why = isMapping(answer) ? answer['message'] : undefined;
  const more = typeof why === 'string' ? `: ${shortenedText(why, 500)}` : '';
  return new ToolError({ ...failure, message: `${failure.message}${more}` });
}

/** A 404 for a request with a session id means that the session has expired. */
function expired(failure: ToolError, headers: Record<string, string>): ToolError {
  const { error } = failure.outcome;
  if (error!.code !== 'HTTP_404' || headers['mcp-session-id'] === undefined) return failure;
  const message = `${error!.message}: the server does not know the session`;
  return new ToolError({ kind: 'connection', code: 'SESSION_EXPIRED', message, retryable: true });
}
