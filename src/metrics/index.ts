export { cached, type Labels, Meters, type Reading } from './meters';
export { TaskMetrics } from './tasks';
