/** What stands before the routes: ids, logs, security headers, limits. */
import { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { type Logger } from 'pino';
import { cors } from './cors';
import { requestLog } from './log';
import { type RateLimit, rateLimit } from './rate-limit';
import { requestIds } from './request-id';
import { type Metrics } from './metrics';

export interface EdgeOptions {
  /** Begins a span for each request (src/tracing), whose id is `response.locals.trace_id`. */
  readonly traced?: RequestHandler;
  /** One line a request; none by default. */
  readonly log?: Logger;
  /** Origins whose pages may ask; none by default. */
  readonly cors?: readonly string[];
  /** Whether pages that this machine serves may ask too: for a facade without tokens (`openFor` says what). */
  readonly loopbackPages?: boolean;
  readonly rateLimit?: RateLimit;
  /**
   * What of `X-Forwarded-For` and `-Proto` to believe, as Express' `trust proxy`: how many proxies stand before us, or
   * their addresses. Nothing by default: anybody may write these headers.
   */
  readonly trustProxy?: number | string;
}

/** @param metrics times requests where it is given */
export function guard(app: Express, options: EdgeOptions, metrics?: Metrics): void {
  const hasPages = Boolean(options.cors?.length) || options.loopbackPages === true;
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustProxy ?? false);
  app.use(requestIds);
  if (options.traced) app.use(options.traced);
  if (options.log) app.use(requestLog(options.log));
  if (metrics) app.use(metrics.timing);
  app.use(
    helmet({
      // The reference page and the GUI load only what this server serves; styles are written into the page by both.
      contentSecurityPolicy: {
        directives: { upgradeInsecureRequests: null, 'style-src': ["'self'", "'unsafe-inline'"] },
      },
      // Whoever named an origin by --cors means its pages to read what we answer.
      crossOriginResourcePolicy: { policy: hasPages ? 'cross-origin' : 'same-origin' },
      strictTransportSecurity: false, // whether there is TLS is known by what ends it, which sets this header
    }),
  );
  app.use((_request, response, next) => {
    response.set('cache-control', 'no-store');
    next();
  });
  if (hasPages) app.use(cors(options.cors ?? [], { loopback: options.loopbackPages }));
  if (options.rateLimit) app.use(rateLimit(options.rateLimit));
}
