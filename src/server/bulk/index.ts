export { type CauseGroup, MOST_EXECUTIONS, selectExecutions, type BulkSelection } from './select';
export {
  type BulkStanding,
  type BulkSummary,
  cancelBulk,
  HIGHEST_RATE,
  listBulk,
  readBulk,
  resumeBulk,
  startBulk,
  USUAL_RATE,
} from './operations';
export { whereOf } from './where';
export { type Prepare } from './act';
export { type BulkWorker, startBulkWorker } from './worker';
