/**
 * Secret fields of the workload: their values are sealed before an execution starts, so its input contains none.
 */
import { randomBytes } from 'node:crypto';
import {
  type Json,
  type JsonObject,
  plainSecretInputs,
  type Plan,
  type Secret,
  secretHandle,
  type Secrets,
  inputAt,
  withValueAt,
} from '../../language/plan';
import { type SealedValues } from './sealed-values';

/** The input of an execution. */
export interface SealedPayload {
  /** With handles where `metadata.workload` says `secret: true`. */
  readonly payload: JsonObject;
  /** The references behind the handles; absent if there are none. */
  readonly secrets?: Secrets;
}

/**
 * Replaces each secret value of the payload by a handle.
 *
 * @param executionId of the execution to be started with it
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
    secrets[id] = { ref: await sealed.seal(inputAt(payload, place), executionId, signal) };
    sealedPayload = withValueAt(sealedPayload, place, secretHandle(id));
  }
  return { payload: sealedPayload as JsonObject, secrets };
}
