export { type Answers, type JobOptions, type JobTable, type ThreadLimits, ThreadPool } from './pool';
export { type PlainError } from './messages';
