/**
 * `noetl-temporal/history`: the canonical events of executions, and the state after each, from their Temporal
 * histories. Histories are read as pages (`historyFile`, `client.pages`), first to last.
 */
export {
  type CanonicalEvent,
  type CanonicalEventType,
  type Closed,
  compareExecutions as compare,
  type ExecutionComparison as Comparison,
  Derivation,
  type DerivationOptions,
  type Divergence,
  eventStream,
  explainExecution as explain,
  type Explanation,
  historyFile,
  inChainOrder,
  type Pages,
  PROFILE_NAMES,
  type ProfileName,
  PROFILES,
  recordedExecution,
  type RecordedExecution,
  stateAt,
} from '../history';
