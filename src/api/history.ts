/**
 * `noetl-temporal/history`: what executions did, from their Temporal histories: the canonical events, and the state after
 * any of them. History is read as pages (`historyFile`, `client.pages`), first to last.
 */
export {
  type CanonicalEvent,
  type CanonicalEventType,
  type Closed,
  compare,
  type Comparison,
  Derivation,
  type DerivationOptions,
  type Divergence,
  eventStream,
  explain,
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
