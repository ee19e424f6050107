export { boundedValue, boundedValues } from './bodies';
export { type Beginning, Derivation, type DerivationOptions } from './derivation';
export { type Divergence } from './divergence';
export { CANONICAL_EVENT_TYPES, type CanonicalEvent, type CanonicalEventType, eventName } from './events';
export { deadlineAt } from './deadline';
export { historyFile, inChainOrder } from './file';
export { type ExecutionOrigin } from './origin';
export { Overview } from './overview';
export { eventStream, followEvents, type Pages } from './follow';
export { type HistoryEvent } from './event';
export { eventMillis } from './inputs';
export { type VariableWriter, variableWriter } from './variable-writer';
export { type Closed } from './reader';
export { recordedExecution, type RecordedExecution } from './recorded';
export {
  type NoetlRow,
  noetlRows,
  PROFILE_NAMES,
  type ProfileName,
  PROFILES,
  type Projection,
  type Row,
  eventStep,
} from './profiles';
export { unpackPayloads } from './readable';
export { searchedText } from './searched';
export { StandingEnds, readStanding, type ExecutionStanding, standingOf } from './standing';
export { stateAt } from './state-at';
export { fetchStored, fetchStoredFailure } from './stored';
export {
  type Considered,
  type DecisionSelection,
  type ExplainedDecision,
  explainExecution,
  type ExplainOptions,
  type Explanation,
  type SourceLines,
} from './explain';
export {
  Alignment,
  compareExecutions,
  type ExecutionComparison,
  type ExecutionDifference,
  Summariser,
} from './diff';
export { unseenAfter } from './cursor';
export { changedSteps, prepareRerun, prepareStep, type RerunRefusal } from './rerun';
