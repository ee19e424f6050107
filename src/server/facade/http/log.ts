/**
 * One log line per request. It contains no header, body or query value: any of them may be a secret. Values belong
 * to the events of the execution.
 */
import { type IncomingMessage } from 'node:http';
import { type RequestHandler, type Response } from 'express';
import { type Logger } from 'pino';
import pinoHttp from 'pino-http';
import { requestIdOf } from './request-id';

/** Probes of orchestrators every few seconds are logged only if they fail. */
const PROBES = /^\/(api\/)?health(\/|$)/;

export function requestLog(logger: Logger): RequestHandler {
  return pinoHttp<IncomingMessage, Response>({
    logger,
    quietReqLogger: true,
    genReqId: (_request, response) => requestIdOf(response as Response) ?? '',
    wrapSerializers: false,
    serializers: {
      req: () => undefined,
      res: () => undefined,
      err: () => undefined,
      responseTime: undefined!,
    },
    customAttributeKeys: { responseTime: 'ms' },
    // Not `customProps`, which would be written at the request's beginning and again at its end.
    customSuccessObject: factsOf,
    customErrorObject: (request, response, _error, value) => factsOf(request, response, value as object),
    customLogLevel: (request, response, error) => {
      // 501 is not a failure: otherwise any reader could fill the error log.
      if (error || (response.statusCode >= 500 && response.statusCode !== 501)) return 'error';
      return PROBES.test(request.url ?? '') && response.statusCode < 400 ? 'debug' : 'info';
    },
    customSuccessMessage: (_request, response) =>
      response.writableFinished ? 'answered' : 'the client left',
    customErrorMessage: () => 'answered',
  }) as unknown as RequestHandler;
}

function factsOf(request: IncomingMessage, response: Response, value: object): object {
  return {
    ...value,
    request_id: requestIdOf(response),
    method: request.method,
    path: shownPath((request as { originalUrl?: string }).originalUrl ?? request.url ?? ''),
    status: response.statusCode,
    route: response.locals['route'] as string | undefined,
    caller: response.locals['caller'] as string | undefined,
    trace_id: response.locals['trace_id'] as string | undefined,
  };
}

/** The path, and the names of the query parameters without their values. */
function shownPath(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const names = [...new Set(new URLSearchParams(url.slice(at)).keys())];
  return `${url.slice(0, at)}?${names.map((name) => `${encodeURIComponent(name)}=…`).join('&')}`;
}
