import {
  type BackfillCount,
  type NewSchedule,
  type Overlap,
  type ScheduleChange,
} from '../../../temporal/schedules';
import { type ScheduleDetails, type ScheduleDocument } from '../../../server/facade/documents';

/** Operations of `schedule …`, the same for Temporal and for a facade. All throw UsageError if refused. */
export interface Schedules {
  /** @returns warnings */
  create(schedule: NewSchedule): Promise<readonly string[]>;
  /** @returns warnings */
  change(name: string, changes: ScheduleChange): Promise<readonly string[]>;
  list(): Promise<readonly ScheduleDocument[]>;
  describe(name: string): Promise<ScheduleDetails>;
  pause(name: string, note?: string): Promise<void>;
  unpause(name: string, note?: string): Promise<void>;
  trigger(name: string, overlap?: Overlap): Promise<void>;
  backfill(name: string, span: { start: Date; end: Date; overlap?: Overlap }): Promise<void>;
  /** What a backfill would start. */
  count(name: string, span: { start: Date; end: Date }): Promise<BackfillCount>;
  delete(name: string): Promise<void>;
}
