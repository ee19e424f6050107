export { inputIn, type NewSchedule, type ScheduleChange, type ScheduleTimes } from './definition';
export * from './errors';
export { type FailedStart, failedStarts, type StartError, startErrorOf } from './failed-starts';
export { MOST_STARTS } from './matching';
export * from './overlap';
export { doubtsOf } from './play';
export * from './schedules';
export { type ScheduleDue, schedulesDue, schedulesLate } from './lateness';
