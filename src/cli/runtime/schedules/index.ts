import { configuredAddress } from '../../../temporal/client/address';
import { refuseLocal } from '../../input/here-only';
import { type ExecutionSource } from '../executions';
import { type Schedules } from './schedules';

export { type Schedules } from './schedules';

/** Loads only what the connection needs. */
export async function schedulesOf(source: ExecutionSource): Promise<Schedules> {
  const { server, data } = source;
  if (!asksFacade(source)) {
    const { schedulesAtTemporal } = await import('./at-temporal.js');
    return schedulesAtTemporal({ data });
  }
  refuseLocal({ data }, ['data']);
  const { schedulesAtFacade } = await import('./at-facade.js');
  return schedulesAtFacade(server);
}

/**
 * The facade that `register` asks, unless Temporal itself is named: by `--data`, or by TEMPORAL_ADDRESS where no facade
 * is.
 */
export function asksFacade(
  { server, data }: ExecutionSource,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if (server !== undefined || data !== undefined) return server !== undefined;
  return Boolean(env['NOETL_FACADE_URL']) || configuredAddress(env) === undefined;
}
