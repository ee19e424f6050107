export { type Answers, type JobOptions, type JobTable, type Limits, ThreadPool } from './pool';
export { type PlainError } from './messages';
