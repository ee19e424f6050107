import { onlyId, refuseLocal } from '../../input/here-only';
import { type NamedPlaces } from '../named';
import { type RemoteExecution } from './execution';

export { type ExplanationRequest, type ExplanationNow, type RemoteExecution } from './execution';

/** Where an execution is accessed: through a facade if one is named, else through Temporal. */
export interface ExecutionSource extends NamedPlaces {
  readonly server?: string;
}

/** Options of commands that ask for an execution. */
export interface RemoteFlags extends ExecutionSource {
  readonly json?: boolean;
}

/**
 * Loads only what the connection needs: a facade is accessed without Temporal's client.
 *
 * @param names an execution id; with Temporal also a workflow id, or history files for read-only commands
 * @throws UsageError for options that conflict with `--server`
 */
export async function executionOf(
  names: readonly string[],
  { server, ...where }: ExecutionSource,
): Promise<RemoteExecution> {
  if (server === undefined) {
    const { executionAtTemporal } = await import('./at-temporal.js');
    return executionAtTemporal(names, where);
  }
  refuseLocal(where, ['data', 'storage']);
  const id = onlyId(names);
  const [{ executionAtFacade }, { facadeAddressOf: serverOf }] = await Promise.all([
    import('./at-facade.js'),
    import('../remote/facade-client.js'),
  ]);
  return executionAtFacade(id, serverOf(server));
}
