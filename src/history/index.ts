export { boundedValue, boundedValues } from './bodies';
export { Derivation, type DerivationOptions } from './derivation';
export { type Divergence } from './divergence';
export { CANONICAL_EVENT_TYPES, type CanonicalEvent, type CanonicalEventType, nameOf } from './events';
export { deadlineAt } from './deadline';
export { historyFile, inChainOrder } from './file';
export { type Origin } from './origin';
export { Overview } from './overview';
export { eventStream, followEvents, type Pages } from './follow';
export { type HistoryEvent } from './event';
export { millis } from './inputs';
export { type VariableWriter, variableWriter } from './variable-writer';
export { type Closed } from './reader';
export { recordedExecution, type RecordedExecution } from './recorded';
export { PROFILE_NAMES, type ProfileName, PROFILES, type Projection, type Row } from './profiles';
export { unpackPayloads } from './readable';
export { searchedText } from './searched';
export { Ends, readStanding, type Standing, standingOf } from './standing';
export { stateAt } from './state-at';
export { fetchStored, fetchStoredFailure } from './stored';
export {
  type Considered,
  type Decision,
  explain,
  type ExplainOptions,
  type Explanation,
  type SourceLines,
} from './explain';
export { Alignment, compare, type Comparison, type Difference, Summariser } from './diff';
export { unseenAfter } from './cursor';
export { changedSteps, prepareRerun, type RerunRefusal } from './rerun';
