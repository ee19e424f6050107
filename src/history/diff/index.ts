export { Alignment } from './alignment';
export { compareExecutions, Summariser, type ExecutionComparison, type ExecutionDifference } from './diff';
