/** Starts executions whose playbooks call inputs secret: their values are stored encrypted first (docs/secrets.md). */
import { plainSecretInputs, shownPlace } from '../../plan';
import { sealPayload } from '../../sealed';
import { EnvironmentError, type Execution, startExecution, type StartInput } from '../../temporal';
import { FacadeError } from '../http/errors';
import { type FacadeServices } from '../services';

/**
 * As `startExecution`.
 *
 * @throws FacadeError 503 when an input is secret and this facade has no key or no storage; what `startExecution` throws
 */
export async function startSealed(
  { client, sealed }: Pick<FacadeServices, 'client' | 'sealed'>,
  input: StartInput,
  executionId: string,
  origin?: Parameters<typeof startExecution>[3],
): Promise<Execution> {
  const { plan, payload = {} } = input;
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return await startExecution(client, input, executionId, origin);
  if (!sealed)
    throw new FacadeError(
      503,
      'SEALED_STORE',
      `the input '${shownPlace(place)}' is secret, and this facade keeps no secrets`,
    );
  const given = await sealPayload(plan, payload, sealed, executionId).catch((error: unknown) => {
    // What is wrong with keys or storage is for whoever runs the facade; callers may try again when it is mended.
    if (error instanceof EnvironmentError) throw new FacadeError(503, error.code, error.message);
    throw error;
  });
  const secrets = { ...input.secrets, ...given.secrets };
  return await startExecution(client, { ...input, ...given, secrets }, executionId, origin);
}
