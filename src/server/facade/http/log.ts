/**
 * One log line per request. It contains no header, body or query value: any of them may be a secret. Values belong
 * to the events of the execution.
 */
import { type IncomingMessage } from 'node:http';
import { type Logger } from 'pino';
import { type Answering, type Middleware } from './middleware';
import { requestIdOf } from './request-id';

/**
 * Probes of orchestrators every few seconds, and messages, which their executions tell of, are logged only if they fail:
 * a line of each of them would be most of the log.
 */
const MANY = /^\/((api\/)?health|ingress)([/?]|$)/;

export function requestLog(logger: Logger): Middleware {
  return (request, response, next) => {
    const began = performance.now();
    response.once('close', () => {
      const level = levelOf(request, response);
      if (!logger.isLevelEnabled(level)) return;
      const ms = Math.round(performance.now() - began);
      const isAnswered = level === 'error' || response.writableFinished;
      logger[level](factsOf(request, response, ms), isAnswered ? 'answered' : 'the client left');
    });
    next();
  };
}

function levelOf(
  { url = '' }: IncomingMessage,
  { statusCode: status }: Answering,
): 'debug' | 'info' | 'error' {
  // 501 is not a failure: otherwise any reader could fill the error log.
  if (status >= 500 && status !== 501) return 'error';
  return status < 400 && MANY.test(url) ? 'debug' : 'info';
}

function factsOf(request: IncomingMessage, response: Answering, ms: number): object {
  const { locals } = response;
  return {
    request_id: requestIdOf(response),
    method: request.method,
    path: shownPath((request as { originalUrl?: string }).originalUrl ?? request.url ?? ''),
    status: response.statusCode,
    route: locals['route'] as string | undefined,
    caller: locals['caller'] as string | undefined,
    trace_id: locals['trace_id'] as string | undefined,
    ms,
  };
}

/** The path, and the names of the query parameters without their values. */
function shownPath(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const names = [...new Set(new URLSearchParams(url.slice(at)).keys())];
  return `${url.slice(0, at)}?${names.map((name) => `${encodeURIComponent(name)}=…`).join('&')}`;
}
