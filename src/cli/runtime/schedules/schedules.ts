import {
  type NewSchedule,
  type Overlap,
  type ScheduleDetails,
  type ScheduleDocument,
} from '../../../temporal/schedules';

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
