export { BATCH_BUDGET } from './batch/limits';
export { type Applied, Machine } from './machine';
export { type Chunk } from './batch/chunk-input';
export { type LocalAnswer, type LocalInput, planOfChunk } from './loop/local';
export { ChunkEvents } from './chunk-events';
export { type Batch, type Input, type RerunOrigin, type Trace } from './batch/inputs';
export { rerunState, type RerunSeed } from './control/rerun';
export { type Command, type RunChunk, type RunPlaybook, type RunTask } from './batch/commands';
export { type EngineEvent, EVENT_TYPES, type EventType } from './batch/events';
export { EngineError } from './batch/failure';
export { executionIdFor } from './state/ids';
export { KEYCHAIN_RUN } from './control/keychain';
export { type Observer } from './batch/observer';
export { atRest, type LiveState } from './state/live-state';
export { type LiveToken, type Progress } from './control/progress';
export {
  type Caller,
  type ChunkResult,
  type ChunkSettled,
  type ExecutionError,
  type FailureCause,
  type Note,
  type Reused,
  type State,
} from './state/state';
export { stepView } from './scope/views';
export { reusedOf } from './tokens/reuse';
