/** Middleware before the routes: ids, logs, security headers, limits. */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Express } from 'express';
import helmet from 'helmet';
import { type Logger } from 'pino';
import { cors } from './cors';
import { requestLog } from './log';
import { type Middleware } from './middleware';
import { type RateLimit, rateLimit } from './rate-limit';
import { requestIds } from './request-id';
import { type Metrics } from './metrics';

export interface EdgeOptions {
  /** Starts a span for each request (src/telemetry/tracing); its trace id is `response.locals.trace_id`. */
  readonly traced?: Middleware;
  /** One line per request; none by default. */
  readonly log?: Logger;
  /** Allowed origins; none by default. */
  readonly cors?: readonly string[];
  /** Whether pages served by this machine are allowed: for a facade without tokens (see `openFor`). */
  readonly loopbackPages?: boolean;
  readonly rateLimit?: RateLimit;
  /**
   * Which `X-Forwarded-For` and `-Proto` headers to trust, as Express' `trust proxy`: the number of proxies in
   * front, or their addresses. None by default, because any client can send these headers.
   */
  readonly trustProxy?: number | string;
}

/** For each request, whoever serves it. @param metrics measures requests, if given */
export function everyRequest({ traced, log }: EdgeOptions, metrics?: Metrics): Middleware[] {
  return [requestIds, traced, log && requestLog(log), metrics?.timing].filter(
    (one): one is Middleware => one !== undefined,
  );
}

/** Of answers to machines: no page reads them. */
export const plainHeaders: Middleware = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  next();
};

/** @param each `everyRequest` */
export function guard(app: Express, options: EdgeOptions, each: readonly Middleware[]): void {
  const hasPages = Boolean(options.cors?.length) || options.loopbackPages === true;
  app.disable('x-powered-by');
  app.disable('etag'); // nobody may store an answer, so nobody compares one
  app.set('trust proxy', options.trustProxy ?? false);
  for (const one of [...each, secured()]) app.use(one);
  if (hasPages) app.use(cors(options.cors ?? [], { loopback: options.loopbackPages }));
  if (options.rateLimit) app.use(rateLimit(options.rateLimit));
}

/** Headers that are the same of every response, made once. */
function secured(): Middleware {
  const headers = new Map<string, string>([['cache-control', 'no-store']]);
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  const secure = helmet({
    // The API reference and the GUI load only resources of this server; both use inline styles.
    contentSecurityPolicy: {
      directives: { upgradeInsecureRequests: null, 'style-src': ["'self'", "'unsafe-inline'"] },
    },
    // Pages of origins allowed by --cors ask by CORS, which this does not concern.
    crossOriginResourcePolicy: { policy: 'same-origin' },
    strictTransportSecurity: false, // HSTS is set by whatever terminates TLS
  });
  secure({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
