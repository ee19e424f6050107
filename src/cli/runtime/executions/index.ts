import { UsageError } from '../../errors';
import { type Where } from '../named';
import { type RemoteExecution } from './execution';

export { type RemoteExecution } from './execution';

/** Where an execution is accessed: through a facade if one is named, else through Temporal. */
export interface ExecutionSource extends Where {
  readonly server?: string;
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
  const stray = (['data', 'storage'] as const).find((name) => where[name] !== undefined);
  if (stray) throw new UsageError(`--${stray} applies to this machine only; remove it, or remove --server`);
  const [name, ...more] = names;
  if (name === undefined || more.length > 0 || !/^(noetl-)?\d+$/.test(name))
    throw new UsageError(`${names.join(' ')}: --server takes one execution id, a decimal number`);
  const [{ executionAtFacade }, { serverOf }] = await Promise.all([
    import('./at-facade.js'),
    import('../remote/facade-client.js'),
  ]);
  return executionAtFacade(name, serverOf(server));
}
