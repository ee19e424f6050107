/** Whether a request comes from whom it says: checked on the bytes as they came, before anything is parsed. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { CodedError } from '../../../language/errors';
import { type JsonObject, type VerifyPlan } from '../../../language/plan';

/** As official gateways name it, and `stale_timestamp`. */
export type RejectReason =
  | 'missing_signature'
  | 'bad_signature'
  | 'missing_token'
  | 'bad_token'
  | 'missing_timestamp'
  | 'stale_timestamp'
  | 'misconfigured';

export interface SignedRequest {
  readonly header: (name: string) => string | undefined;
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Verified {
  /** Of the signature, if there is one: two requests with the same are the same. */
  readonly signature?: string;
}

/** @throws CodedError `INGRESS_REJECTED` with the reason */
export function verifyRequest(plan: VerifyPlan, request: SignedRequest, credential: JsonObject): Verified {
  if (plan.type === 'hmac') return { signature: verifySignature(plan, request, secretOf(credential)) };
  const given = request.header(plan.header);
  if (given === undefined || given === '') throw rejection('missing_token');
  if (plan.type === 'bearer') {
    if (!sameText(given.replace(/^Bearer +/i, ''), secretOf(credential))) throw rejection('bad_token');
    return {};
  }
  const [user, password] = ['username', 'password'].map(
    (field) => credential[field] ?? credential[field === 'username' ? 'user' : 'secret'],
  );
  if (typeof user !== 'string' || typeof password !== 'string' || password === '')
    throw rejection('misconfigured');
  const pair = /^Basic +(.+)$/i.exec(given)?.[1] ?? '';
  if (!sameText(Buffer.from(pair, 'base64').toString(), `${user}:${password}`)) throw rejection('bad_token');
  return {};
}

/** @returns a digest of the signature that is right */
function verifySignature(plan: VerifyPlan, request: SignedRequest, secret: string): string {
  const header = request.header(plan.header);
  if (header === undefined || header === '') throw rejection('missing_signature');
  const inHeader = plan.timestampHeader === '';
  // Not /\s*,\s*/: that takes a time in the square of many spaces.
  const parts = header.split(inHeader ? ',' : /\s+/).map((part) => part.trim());
  const timestamp = inHeader
    ? parts.find((part) => part.startsWith('t='))?.slice(2)
    : plan.timestampHeader && request.header(plan.timestampHeader);
  if (plan.timestampHeader !== undefined) refuseStale(plan, timestamp, request.now);
  const id = plan.idHeader && request.header(plan.idHeader);
  const expected = hmacOf(plan, secret, { ...request, timestamp: timestamp ?? '', id: id ?? '' });
  const given = parts.flatMap((part) => signatureIn(part, plan));
  if (!given.some((one) => one.length === expected.length && timingSafeEqual(one, expected)))
    throw rejection('bad_signature');
  return hash('sha256', expected);
}

/** Among other parts of a header only what has the prefix is one. */
function signatureIn(part: string, { prefix, encoding, timestampHeader }: VerifyPlan): Buffer[] {
  const isNamed = prefix !== '' && part.toLowerCase().startsWith(prefix.toLowerCase());
  if (!isNamed && timestampHeader === '') return [];
  return [Buffer.from(isNamed ? part.slice(prefix.length) : part, encoding)];
}

function refuseStale({ toleranceSecs }: VerifyPlan, timestamp: string | undefined, now: number): void {
  if (timestamp === undefined || !/^\d{1,16}$/.test(timestamp)) throw rejection('missing_timestamp');
  const number = Number(timestamp);
  // Some senders count milliseconds.
  const seconds = number > 1e11 ? number / 1000 : number;
  if (Math.abs(now / 1000 - seconds) > toleranceSecs) throw rejection('stale_timestamp');
}

function hmacOf(
  { algorithm, signed, encoding }: VerifyPlan,
  secret: string,
  { bytes, timestamp, id }: { readonly bytes: Uint8Array; readonly timestamp: string; readonly id: string },
): Buffer {
  // Standard Webhooks: `whsec_` and the key in base64.
  const key =
    encoding === 'base64' && secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  if (key.length === 0) throw rejection('misconfigured');
  const hmac = createHmac(algorithm, key);
  for (const [, name, text] of signed.matchAll(/\{(body|timestamp|id)\}|([^{]+|\{)/g)) {
    if (name === 'body') hmac.update(bytes);
    else hmac.update(name === 'timestamp' ? timestamp : name === 'id' ? id : text!);
  }
  return hmac.digest();
}

/** The value of a credential. */
function secretOf(credential: JsonObject): string {
  const value = ['secret', 'token', 'value', 'key', 'password']
    .map((field) => credential[field])
    .find((one) => one !== undefined);
  if (typeof value === 'string' && value !== '') return value;
  throw rejection('misconfigured');
}

/** In a time that says nothing of either. */
function sameText(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => hash('sha256', text, 'buffer'));
  return timingSafeEqual(a!, b!);
}

const SAYS: Readonly<Record<RejectReason, string>> = {
  missing_signature: 'the request has no signature',
  bad_signature: 'the signature is not right',
  missing_token: 'the request has no token',
  bad_token: 'the token is not right',
  missing_timestamp: 'the request does not say when it was signed',
  stale_timestamp: 'the request was signed too long ago, or in the future',
  misconfigured: 'the credential has no secret that requests are verified with',
};

export function rejection(reason: RejectReason): CodedError {
  return new CodedError('INGRESS_REJECTED', SAYS[reason], { details: { reason } });
}
