/** Rate limit per caller: by token if it has one, otherwise by address (an IPv6 network counts as one). */
import { type Request, type RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit as limiter } from 'express-rate-limit';
import { FacadeError } from './errors';

export interface RateLimit {
  /** Requests per minute and caller. */
  readonly perMinute: number;
  /** The id of the valid token of a request. */
  callerOf(request: Request): Promise<string | undefined>;
}

const MINUTE_MS = 60_000;

/** @throws (as a response) FacadeError 429 `RATE_LIMITED`, with `Retry-After` */
export function rateLimit({ perMinute, callerOf }: RateLimit): RequestHandler {
  return limiter({
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'requests',
    // Probes must not fail because another client behind the orchestrator's address sends many requests.
    skip: ({ path }) => /^\/(api\/)?health(\/|$)/.test(path),
    keyGenerator: async (request) => (await callerOf(request)) ?? ipKeyGenerator(request.ip ?? 'unknown'),
    handler: (_request, response, next) => {
      response.set('retry-after', response.get('retry-after') ?? '60');
      next(
        new FacadeError(
          429,
          'RATE_LIMITED',
          `more than ${perMinute} requests within a minute; see Retry-After (the operator sets --rate-limit)`,
        ),
      );
    },
  });
}
