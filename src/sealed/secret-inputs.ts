/** Secret fields of the workload: their values are sealed before an execution starts, so that its input has none. */
import { randomBytes } from 'node:crypto';
import {
  type Json,
  type JsonObject,
  plainSecretInputs,
  type Plan,
  type Secret,
  secretHandle,
  type Secrets,
  valueAt,
  withValueAt,
} from '../plan';
import { type SealedValues } from './sealed-values';

/** What an execution is started with. */
export interface SealedPayload {
  /** With handles where `metadata.workload` says `secret: true`. */
  readonly payload: JsonObject;
  /** What the handles stand for; absent when there are none. */
  readonly secrets?: Secrets;
}

/**
 * Puts a handle in place of each secret value of the payload.
 *
 * @param executionId of the execution that is to be started with it
 * @throws as `SealedValues.seal`
 */
export async function sealPayload(
  plan: Plan,
  payload: JsonObject,
  sealed: SealedValues,
  executionId: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<SealedPayload> {
  const places = plainSecretInputs(plan, payload);
  if (places.length === 0) return { payload };
  const secrets: Record<string, Secret> = {};
  let sealedPayload: Json = payload;
  for (const place of places) {
    const id = randomBytes(16).toString('hex');
    secrets[id] = { ref: await sealed.seal(valueAt(payload, place), executionId, signal) };
    sealedPayload = withValueAt(sealedPayload, place, secretHandle(id));
  }
  return { payload: sealedPayload as JsonObject, secrets };
}
