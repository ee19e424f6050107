/** The public interface of the engine. */
export {
  type Applied,
  type InputBatch,
  type Chunk,
  type Command,
  EngineError,
  type EngineEvent,
  EVENT_TYPES,
  type EventType,
  type Evaluator,
  type Input,
  type Interim,
  type Observer,
  type RerunOrigin,
  type RunChunk,
  type RunPlaybook,
  type RunTask,
  type StartLease,
  type Trace,
} from './batch';
export { ChunkEvents, ofChunk } from './chunk-events';
export { KEYCHAIN_RUN, type LiveToken, type Progress, type Queued, rerunState } from './control';
export { planOfChunk } from './loop';
export { type LeaseAnswer, type LeaseInput, packInput, unpackTrace } from './lease-wire';
export { Machine } from './machine';
export { stepView } from './scope';
export {
  atRest,
  type Caller,
  type EventAnswer,
  chunkOfRef,
  type ChunkResult,
  type ChunkSettled,
  type ExecutionError,
  executionIdFor,
  executionsAbove,
  type LiveState,
  type EngineNote,
  ownValue,
  type Reused,
  type State,
} from './state';
export { reusedOf } from './tokens';
