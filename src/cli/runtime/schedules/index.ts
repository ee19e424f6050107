import {
  type NewSchedule,
  type Overlap,
  type ScheduleDetails,
  type ScheduleDocument,
} from '../../../temporal/schedules';
import { UsageError } from '../../errors';

/** What `schedule …` asks, the same of Temporal itself and of a facade. Everything throws UsageError where it is refused. */
export interface Schedules {
  /** @returns what is to be told of it */
  create(schedule: NewSchedule): Promise<readonly string[]>;
  list(): Promise<readonly ScheduleDocument[]>;
  describe(name: string): Promise<ScheduleDetails>;
  pause(name: string, note?: string): Promise<void>;
  unpause(name: string, note?: string): Promise<void>;
  trigger(name: string, overlap?: Overlap): Promise<void>;
  backfill(name: string, span: { start: Date; end: Date; overlap?: Overlap }): Promise<void>;
  delete(name: string): Promise<void>;
}

/** At the facade that is named, else at Temporal; loads what the way there needs, and no more. */
export async function schedulesOf({ server, data }: { server?: string; data?: string }): Promise<Schedules> {
  if (server === undefined) {
    const { schedulesAtTemporal } = await import('./at-temporal.js');
    return schedulesAtTemporal({ data });
  }
  if (data !== undefined) throw new UsageError('--data is of this machine: leave it out with --server');
  const [{ schedulesAtFacade }, { serverOf }] = await Promise.all([
    import('./at-facade.js'),
    import('../remote/facade-client.js'),
  ]);
  return schedulesAtFacade(serverOf(server));
}
