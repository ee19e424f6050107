/** Starts executions whose playbooks call inputs secret: their values are stored encrypted first (docs/secrets.md). */
import { type JsonObject, plainSecretInputs, type Secrets, shownPlace } from '../../plan';
import { sealPayload } from '../../sealed';
import { EnvironmentError } from '../../errors';
import { type Execution, startExecution, type StartInput } from '../../temporal';
import { type FacadeServices } from '../services';

type Services = Pick<FacadeServices, 'client' | 'sealed' | 'metrics'>;

/**
 * As `startExecution`, and counted.
 *
 * @throws EnvironmentError when an input is secret and this facade has no key or no storage; what
 *   `startExecution` throws
 */
export async function startSealed(
  services: Services,
  input: StartInput,
  executionId: string,
  origin?: Parameters<typeof startExecution>[3],
): Promise<Execution> {
  const given = await sealedInputs(services, input, executionId);
  const execution = await startExecution(services.client, { ...input, ...given }, executionId, origin);
  services.metrics?.executionStarted();
  return execution;
}

async function sealedInputs(
  { sealed }: Services,
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
  // What is wrong with keys or storage is for whoever runs the facade; callers may try again when it is mended.
  const given = await sealPayload(plan, payload, sealed, executionId);
  return { ...given, secrets: { ...secrets, ...given.secrets } };
}
