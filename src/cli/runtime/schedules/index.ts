import { UsageError } from '../../errors';
import { type Schedules } from './schedules';

export { type Schedules } from './schedules';

/** At the facade that is named, else at Temporal; loads what the way there needs, and no more. */
export async function schedulesOf({ server, data }: { server?: string; data?: string }): Promise<Schedules> {
  if (server === undefined) {
    const { schedulesAtTemporal } = await import('./at-temporal.js');
    return schedulesAtTemporal({ data });
  }
  if (data !== undefined)
    throw new UsageError('--data applies to this machine only; remove it, or remove --server');
  const [{ schedulesAtFacade }, { serverOf }] = await Promise.all([
    import('./at-facade.js'),
    import('../remote/facade-client.js'),
  ]);
  return schedulesAtFacade(serverOf(server));
}
