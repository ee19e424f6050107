export {
  type BulkSelection,
  type CauseGroup,
  MOST_EXECUTIONS,
  selectedStatus,
  selectExecutions,
  tooMany,
} from './select';
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
export { causeOfEnd, type FailureGroupCause, failureGroupOf } from './causes';
export { type BulkFilter, whereOf } from './where';
export { type Prepare } from './act';
export { type BulkWorker, startBulkWorker } from './worker';
