export { cached, type Labels, Meters } from './meters';
export { TaskMetrics } from './tasks';
