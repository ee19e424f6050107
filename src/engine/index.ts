export { BATCH_BUDGET } from './limits';
export { type Applied, Machine } from './machine';
export { type Chunk } from './chunk-input';
export { type LocalAnswer, type LocalInput, planOfChunk } from './local';
export { ChunkEvents } from './chunk-events';
export { type Batch, type Input, type RerunOrigin, type Trace } from './inputs';
export { rerunState, type RerunSeed, reusedOf } from './rerun';
export { type Command, type RunChunk, type RunPlaybook, type RunTask } from './commands';
export { type EngineEvent, EVENT_TYPES, type EventType } from './events';
export { EngineError } from './failure';
export { executionIdFor } from './ids';
export { KEYCHAIN_RUN } from './keychain';
export { type Observer } from './observer';
export { atRest, type LiveState } from './live-state';
export { type LiveToken, type Progress } from './progress';
export {
  type Caller,
  type ChunkResult,
  type ChunkSettled,
  type ExecutionError,
  type FailureCause,
  type Note,
  type Reused,
  type State,
} from './state';
export { stepView } from './views';
