/**
 * Grants: what a task may open at the facade. The worker of the workflow signs them as calls leave it, outside of
 * workflow code: encoding a payload is no command, so a replay decides nothing anew. They are sealed with the
 * installation's keys, so that nobody else makes one, and say nothing to whoever reads history.
 */
import { type Payload, type PayloadCodec } from '@temporalio/common';
import { decode as text, encode as bytes } from '@temporalio/common/lib/encoding';
import { type KeyRing, KeyRingError } from '../keyring';
import { GRANT, GRANT_REQUEST, type GrantRequest } from '../payloads';

/** The place to which a grant's ciphertext is bound. */
const PLACE = 'grant';
/**
 * A task may wait for its worker for weeks; what a grant is worth ends with the task, which the facade asks Temporal
 * about.
 */
const VALID_MS = 30 * 24 * 3600_000;

/** What is sealed. */
export interface Grant extends GrantRequest {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Signs what workflows ask for; without keys it only removes the requests. For workers of workflows. */
export function grantCodec(keys: KeyRing | undefined, now: () => number = Date.now): PayloadCodec {
  const signed = (payload: Payload): Payload => {
    const { [GRANT_REQUEST]: request, ...metadata } = payload.metadata ?? {};
    if (!request) return payload;
    if (!keys) return { ...payload, metadata };
    const grant: Grant = { ...(JSON.parse(text(request)) as GrantRequest), until: now() + VALID_MS };
    const sealed = keys.seal(JSON.stringify(grant), PLACE).toString('base64url');
    return { ...payload, metadata: { ...metadata, [GRANT]: bytes(sealed) } };
  };
  return {
    encode: (payloads) =>
      Promise.resolve(
        payloads.some(({ metadata }) => metadata?.[GRANT_REQUEST]) ? payloads.map(signed) : payloads,
      ),
    decode: (payloads) => Promise.resolve(payloads),
  };
}

/** What a presented grant says; undefined if it is none of this installation, or too old. */
export function openGrant(presented: string, keys: KeyRing, now: number = Date.now()): Grant | undefined {
  try {
    const grant = JSON.parse(keys.open(Buffer.from(presented, 'base64url'), PLACE).toString()) as Grant;
    return grant.until > now ? grant : undefined;
  } catch (error) {
    if (error instanceof KeyRingError) return undefined;
    throw error;
  }
}
