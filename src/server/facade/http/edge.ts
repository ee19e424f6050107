/** Middleware before the routes: ids, logs, security headers, limits. */
import { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { type Logger } from 'pino';
import { cors } from './cors';
import { requestLog } from './log';
import { type RateLimit, rateLimit } from './rate-limit';
import { requestIds } from './request-id';
import { type Metrics } from './metrics';

export interface EdgeOptions {
  /** Starts a span for each request (src/telemetry/tracing); its trace id is `response.locals.trace_id`. */
  readonly traced?: RequestHandler;
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

/** @param metrics measures requests, if given */
export function guard(app: Express, options: EdgeOptions, metrics?: Metrics): void {
  const hasPages = Boolean(options.cors?.length) || options.loopbackPages === true;
  app.disable('x-powered-by');
  app.disable('etag'); // nobody may store an answer, so nobody compares one
  app.set('trust proxy', options.trustProxy ?? false);
  app.use(requestIds);
  if (options.traced) app.use(options.traced);
  if (options.log) app.use(requestLog(options.log));
  if (metrics) app.use(metrics.timing);
  app.use(
    helmet({
      // The API reference and the GUI load only resources of this server; both use inline styles.
      contentSecurityPolicy: {
        directives: { upgradeInsecureRequests: null, 'style-src': ["'self'", "'unsafe-inline'"] },
      },
      // Pages of origins allowed by --cors ask by CORS, which this does not concern.
      crossOriginResourcePolicy: { policy: 'same-origin' },
      strictTransportSecurity: false, // HSTS is set by whatever terminates TLS
    }),
  );
  app.use((_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });
  if (hasPages) app.use(cors(options.cors ?? [], { loopback: options.loopbackPages }));
  if (options.rateLimit) app.use(rateLimit(options.rateLimit));
}
