export * from './documents';
export * from './errors';
export * from './overlap';
export * from './schedules';
export { schedulesLate } from './lateness';
