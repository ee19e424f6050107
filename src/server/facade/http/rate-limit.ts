/** Rate limit per caller: by token if it has one, otherwise by address (an IPv6 network counts as one). */
import { type Request, type RequestHandler, type Response } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit as limiter } from 'express-rate-limit';
import { FacadeError } from './errors';

export interface RateLimit {
  /** Requests per minute and caller. */
  readonly perMinute: number;
  /** The id of the valid token of a request. */
  callerOf(request: Request): Promise<string | undefined>;
}

const MINUTE_MS = 60_000;

const CHARGE = 'charge';

/** Counts what a request asks for besides as one more request. @throws FacadeError 429 `RATE_LIMITED` */
export async function chargeAgain({ locals }: Response): Promise<void> {
  await (locals[CHARGE] as (() => Promise<void>) | undefined)?.();
}

/** @throws (as a response) FacadeError 429 `RATE_LIMITED`, with `Retry-After` */
export function rateLimit({ perMinute, callerOf }: RateLimit): RequestHandler {
  const store = new MemoryStore();
  const refusal = (): FacadeError =>
    new FacadeError(
      429,
      'RATE_LIMITED',
      `more than ${perMinute} requests within a minute; see Retry-After (the operator sets --rate-limit)`,
    );
  return limiter({
    store,
    windowMs: MINUTE_MS,
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'requests',
    // Probes must not fail because another client behind the orchestrator's address sends many requests.
    // What an ingress takes has limits of its own.
    skip: ({ path }) => /^\/((api\/)?health|ingress)(\/|$)/.test(path),
    keyGenerator: async (request, response) => {
      const key = (await callerOf(request)) ?? ipKeyGenerator(request.ip ?? 'unknown');
      // One after the other, because the store's answer goes on counting; after a refusal all are refused.
      let charged = Promise.resolve();
      response.locals[CHARGE] = () =>
        (charged = charged.then(async () => {
          if ((await store.increment(key)).totalHits > perMinute) throw refusal();
        }));
      return key;
    },
    handler: (_request, response, next) => {
      response.set('retry-after', response.get('retry-after') ?? '60');
      next(refusal());
    },
  });
}
