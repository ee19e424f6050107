export * from './documents';
export * from './errors';
export * from './overlap';
export * from './schedules';
export { type ScheduleDue, schedulesDue, schedulesLate } from './lateness';
