/** `POST /ingress/…`: requests of other systems become executions. Who sends is verified on the bytes, before they are parsed. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { CodedError, hasCode } from '../../../language/errors';
import { isMapping, type JsonObject, type TriggerPlan, type VerifyPlan } from '../../../language/plan';
import { jsonOr } from '../../../language/plan/json-text';
import { lastHeader } from '../../../language/plan/triggers/mapping';
import {
  DeadLetters,
  type Dispatched,
  Dispatcher,
  measureTriggers,
  messageHeaders,
  MessagePace,
  pushedMessage,
  type PushedRequest,
  SecretCache,
  TriggerCounters,
  type Verified,
  verifyRequest,
  verifyToken,
} from '../../triggers';
import { type ListeningTrigger } from '../catalog/triggers';
import { AtOnce } from '../http/at-once';
import { isSmall, readRaw } from '../http/body';
import { fromOutside } from '../http/outside';
import { executionEnd } from '../mcp/waits';
import { type RouteServices } from '../services';
import { messageStarter } from '../submit/messages';
import { boundedText, FacadeError, type FacadeRoute, okAnswer, route, RouteReply } from './declare';

/** Requests that are started, or large ones of an address that are read, at a time; further ones come again a second later. */
const MOST = 64;
/** Of one address: answers that wait for the end of an execution. */
const MOST_WAITING = 100;
const FLUSH_MS = 1_000;
const MAX_CHALLENGE = 4096;

const answer = z.object({
  status: z.enum(['accepted', 'duplicate', 'filtered', 'dead_lettered', 'completed', 'failed']),
  execution_id: z.string().nullable(),
  result: z.unknown().optional(),
  error: z.string().optional(),
  code: z.string().optional(),
});
type Answer = z.input<typeof answer>;

type Unverified = Pick<PushedRequest, 'request' | 'bytes'>;

const STATUS = {
  started: 'accepted',
  duplicate: 'duplicate',
  filtered: 'filtered',
  dead: 'dead_lettered',
} as const;

/** Answered before Express (`direct.ts`). */
export const INGRESS = '/ingress/{path+}';

export function ingressRoutes(services: RouteServices): readonly FacadeRoute[] {
  const ingress = new Ingress(services);
  return [
    route(`POST ${INGRESS}`, {
      scope: 'public',
      summary: 'A message for the subscription with this address',
      description:
        'Verified as the subscription says (a signature, a token), before the body is parsed. The body is the message, of whatever type. ' +
        'The answer tells the execution; with `respond: result` it comes with its end.',
      params: z.object({ path: boundedText(300).min(1) }),
      answers: {
        ...okAnswer('Its execution exists, or one is not needed', answer, 202),
        200: { description: 'The execution has ended (`respond: result`)', body: answer },
      },
      errors: [400, 401, 403, 404, 413, 415, 422, 502, 503],
      handle: ({ params, request, response }) => ingress.answer(params.path, request, response),
    }),
  ];
}

class Ingress {
  private readonly atOnce = new AtOnce(MOST, () => busy('more requests arrive than can be started'));
  private readonly reading = new AtOnce(MOST, () => busy('too many large bodies arrive'));
  private readonly verifying = new AtOnce(MOST, () => busy('too many requests are being verified'));
  private readonly waiting = new AtOnce(MOST_WAITING, () => busy('too many requests wait for a result'));
  private readonly dispatcher: Dispatcher;
  private readonly secrets: SecretCache;
  private readonly paces = new WeakMap<TriggerPlan, MessagePace>();
  private readonly rejected: ((labels: Record<string, string>) => void) | undefined;

  constructor(private readonly services: RouteServices) {
    const { database, keys, triggers, stopping } = services;
    const { meters } = services.metrics ?? {};
    if (meters) measureTriggers(meters, triggers.store);
    const counters = new TriggerCounters(triggers.store, meters);
    const starter = messageStarter(services, services.library);
    this.dispatcher = new Dispatcher(starter, new DeadLetters(database, keys), counters.note);
    this.secrets = new SecretCache((name, path) => this.secretOf(name, path));
    this.rejected = meters?.counter({
      name: 'noetl_ingress_rejected_total',
      help: 'Requests to addresses of subscriptions that were refused, by reason',
      labels: ['subscription', 'reason'],
    });
    const flushing = setInterval(() => void counters.flush(), FLUSH_MS).unref();
    stopping?.addEventListener('abort', () => {
      clearInterval(flushing);
      void counters.flush();
    });
  }

  /** The sender is not told what is wrong with it: the operator is. */
  private async secretOf(name: string, path: string): Promise<JsonObject> {
    const { ingressSecret, report } = this.services;
    if (!ingressSecret) throw misconfigured('this facade opens no credentials');
    return await ingressSecret(name, path).catch((error: unknown) => {
      report(error);
      throw hasCode(error, 'CREDENTIAL_NOT_FOUND', 'CREDENTIAL_INVALID')
        ? misconfigured('the credential that requests are verified with is missing')
        : busy('the credential that requests are verified with cannot be read now');
    });
  }

  async answer(address: string, request: IncomingMessage, response: ServerResponse): Promise<RouteReply> {
    try {
      const trigger = await this.listening(address);
      const bytes = await this.received(trigger, request, response);
      const pushed = { request: messageHeaders(pairsOf(request)), bytes };
      // Keys of tokens may be slow to read: who is not verified yet takes no place of other subscriptions.
      const verified = await this.verifying.during(trigger.id, () => this.verified(trigger, pushed));
      const challenge = challengeIn(trigger.plan.ingress!.verify, bytes);
      if (challenge) return new RouteReply(200, challenge);
      const started = () => this.started(trigger, { ...pushed, verified, random: randomUUID });
      return await this.replyTo(trigger, await this.atOnce.during('ingress', started), response);
    } catch (error) {
      const refusal = error instanceof FacadeError ? error : fromOutside(error);
      if (refusal?.status === 503)
        response.setHeader('retry-after', String(refusal.more['retry_after'] ?? 5));
      throw refusal ?? error;
    }
  }

  private async listening(address: string): Promise<ListeningTrigger> {
    const trigger = await this.services.triggers.at(address.replace(/\/+$/, ''));
    if (trigger?.plan.ingress) return trigger;
    throw rejection(404, 'unknown_listener', `no subscription has the address /ingress/${address}`);
  }

  /** Nobody is verified yet: who sends slowly takes nobody's place, but for large bodies of the same address. */
  private async received({ id, plan }: ListeningTrigger, request: IncomingMessage, response: ServerResponse) {
    const read = () => readRaw(request, response, plan.ingress!.maxBytes);
    return await (isSmall(request) ? read() : this.reading.during(id, read));
  }

  /** One that is not what it says is counted by the reason. */
  private async verified({ plan }: ListeningTrigger, pushed: Unverified): Promise<Verified> {
    return await this.checked(plan, pushed).catch((error: unknown) => {
      if (!hasCode(error, 'INGRESS_REJECTED')) throw error;
      const reason = String(error.details['reason']);
      this.rejected?.({ subscription: plan.metadata.path, reason });
      throw rejection(reason === 'misconfigured' ? 403 : 401, reason, error.message);
    });
  }

  private async checked(
    { ingress, metadata }: TriggerPlan,
    { request, bytes }: Unverified,
  ): Promise<Verified> {
    const { verify } = ingress!;
    // Of a repeated header the same one as everywhere else: what is checked is what is used.
    const header = (name: string): string | undefined => lastHeader(request[name]);
    if (verify.type === 'pubsub_oidc') {
      await verifyToken(verify, header(verify.header)).catch((error: unknown) => {
        if (!hasCode(error, 'KEYS_UNREACHABLE')) throw error;
        this.services.report(error);
        throw busy('the keys that tokens are verified with cannot be read now');
      });
      return {};
    }
    // A secret that was changed since it was read is read again.
    return await this.secrets.with(verify.secret, metadata.path, (credential) =>
      verifyRequest(verify, { header, bytes, now: Date.now() }, credential),
    );
  }

  private async started(trigger: ListeningTrigger, pushed: PushedRequest): Promise<Dispatched> {
    const { plan, state } = trigger;
    if (state !== 'ACTIVE')
      throw new FacadeError(503, 'SUBSCRIPTION_INACTIVE', `the subscription is ${state.toLowerCase()}`, {
        retry_after: 60,
      });
    const pace = this.paces.get(plan) ?? new MessagePace(plan.limits.perSecond);
    this.paces.set(plan, pace);
    if (pace.allowed() < 1)
      throw busy('the subscription starts no more in a second (limits.max_dispatch_per_sec)');
    pace.spend(1);
    return await this.dispatcher.dispatch(trigger, pushedMessage(plan, pushed));
  }

  private async replyTo(
    { id: trigger, plan }: ListeningTrigger,
    { outcome, executionId, refused }: Dispatched,
    response: ServerResponse,
  ): Promise<RouteReply> {
    const { respondMs } = plan.ingress!;
    const reply = (status: number, of: Answer['status'], more: Partial<Answer> = {}): RouteReply =>
      new RouteReply(status, { status: of, execution_id: executionId ?? null, ...more });
    if (refused)
      return reply(respondMs === undefined ? 202 : 422, STATUS.dead, {
        code: refused.code,
        error: refused.message,
      });
    if (respondMs === undefined || executionId === undefined) return reply(202, STATUS[outcome]);
    const end = await this.waiting
      .during(trigger, () => executionEnd(this.services.client, executionId, response, respondMs))
      .catch(unlessRefused);
    if (!end) return reply(202, STATUS[outcome]);
    if ('failure' in end) return reply(502, 'failed', { code: 'EXECUTION_FAILED', error: end.failure });
    if ('result' in end) return reply(200, 'completed', { result: end.result });
    const error = `the result has ${end.bytes} bytes, too many for an answer: read it from the execution`;
    return reply(200, 'completed', { code: 'ANSWER_TOO_LARGE', error });
  }
}

/** It has begun: that its end cannot be told is no reason to send it again. */
function unlessRefused(error: unknown): undefined {
  if (!((fromOutside(error) ?? error) instanceof FacadeError)) throw error;
}

/** Slack asks whether an address is ours before it sends anything. */
function challengeIn({ challenge }: VerifyPlan, bytes: Uint8Array): { challenge: string } | undefined {
  const text = Buffer.from(bytes.subarray(0, challenge ? MAX_CHALLENGE : 0)).toString();
  if (!text.includes('"url_verification"')) return undefined;
  const body = jsonOr(text, null);
  if (!isMapping(body) || body['type'] !== 'url_verification') return undefined;
  return typeof body['challenge'] === 'string' ? { challenge: body['challenge'] } : undefined;
}

function* pairsOf({ rawHeaders: raw }: IncomingMessage): Generator<[string, string]> {
  for (let i = 0; i < raw.length; i += 2) yield [raw[i]!, raw[i + 1]!];
}

function misconfigured(why: string): CodedError {
  return new CodedError('INGRESS_REJECTED', why, { details: { reason: 'misconfigured' } });
}

function rejection(status: number, reason: string, message: string): FacadeError {
  return new FacadeError(status, 'INGRESS_REJECTED', message, { status: 'rejected', reason });
}

function busy(why: string): FacadeError {
  return new FacadeError(503, 'INGRESS_BUSY', `${why}: send it again`, { retry_after: 1 });
}
