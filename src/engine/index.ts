export { BATCH_BUDGET } from './limits';
export { type Applied, Machine } from './machine';
export { type Batch, type Input } from './inputs';
export { type Command, type RunTask } from './commands';
export { type EngineEvent, EVENT_TYPES, type EventType } from './events';
export { EngineError } from './failure';
export { type LiveToken, type Progress } from './progress';
export { type ExecutionError, type FailureCause, type State } from './state';
