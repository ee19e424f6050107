import { refuseLocal } from '../../input/here-only';
import { type ExecutionSource } from '../executions';
import { type Schedules } from './schedules';

export { type Schedules } from './schedules';

/** Through a facade if one is named, else through Temporal; loads only what the connection needs. */
export async function schedulesOf({ server, data }: ExecutionSource): Promise<Schedules> {
  if (server === undefined) {
    const { schedulesAtTemporal } = await import('./at-temporal.js');
    return schedulesAtTemporal({ data });
  }
  refuseLocal({ data }, ['data']);
  const { schedulesAtFacade } = await import('./at-facade.js');
  return schedulesAtFacade(server);
}
