/** Starts executions of playbooks with secret inputs: their values are stored encrypted first (docs/encryption.md). */
import {
  compact,
  type JsonObject,
  plainSecretInputs,
  type Secrets,
  shownPlace,
} from '../../../language/plan';
import { type Client } from '@temporalio/client';
import { type SealedValues, sealPayload } from '../../../storage/sealed';
import { EnvironmentError } from '../../../language/errors';
import {
  type StartedExecution,
  startExecution,
  type StartInput,
  type StartOrigin,
} from '../../../temporal/client';
import { type Metrics } from '../http/metrics';
import { turnOf } from './turns';

export interface StartServices {
  readonly client: Client;
  readonly sealed?: SealedValues;
  readonly metrics?: Metrics;
}

/**
 * As `startExecution`, in the caller's turn, and counted in the metrics.
 *
 * @throws EnvironmentError if an input is secret and this facade has no key or no storage; and as
 *   `startExecution`
 */
export async function startSealed(
  services: StartServices,
  input: StartInput,
  executionId: string,
  { caller, ...origin }: StartOrigin & { readonly caller: string },
): Promise<StartedExecution> {
  const given = await sealedInputs(services, input, executionId);
  const execution = await startExecution(services.client, { ...input, ...given }, executionId, {
    ...origin,
    ...compact({ turn: turnOf(caller, executionId) }),
  });
  services.metrics?.executionStarted();
  return execution;
}

async function sealedInputs(
  { sealed }: StartServices,
  { plan, payload = {}, secrets }: StartInput,
  executionId: string,
): Promise<{ payload?: JsonObject; secrets?: Secrets }> {
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return {};
  if (!sealed)
    throw new EnvironmentError(
      'SEALED_STORE',
      `the input '${shownPlace(place)}' is secret, but this facade has no key to store secrets`,
    );
  // Problems with keys or storage are the operator's to fix; callers may retry afterwards.
  const given = await sealPayload(plan, payload, sealed, executionId);
  return { ...given, secrets: { ...secrets, ...given.secrets } };
}
