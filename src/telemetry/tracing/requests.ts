/** A span for every request of the REST API, part of the caller's trace if the request has one. */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';

/** Frequent requests of orchestrators and scrapers would hide the others. */
const UNTRACED = /^\/((api\/)?health(\/|\?|$)|metrics(\?|$))/;
const SERVER_ERROR = 500;

/** Must be the first middleware; `response.locals.trace_id` is for the log. */
export function tracedRequests(tracer: Tracer) {
  return (
    request: IncomingMessage,
    response: ServerResponse & { readonly locals: Record<string, unknown> },
    next: () => void,
  ): void => {
    const { method = '', url = '' } = request;
    if (UNTRACED.test(url)) return next();
    const outside = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { 'http.request.method': method };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, outside);
    response.locals['trace_id'] = span.spanContext().traceId;
    response.once('close', () => {
      const { route } = response.locals as { readonly route?: string };
      const status = response.statusCode;
      // The pattern, not the path, which contains ids and names of variables.
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', status);
      if (status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(outside, span), () => next());
  };
}
