export { CanonicalEvent, CanonicalEventType, Closed, ExecutionComparison as Comparison, Derivation, DerivationOptions, Divergence, Explanation, PROFILES, PROFILE_NAMES, Pages, ProfileName, RecordedExecution, compareExecutions as compare, eventStream, explainExecution as explain, historyFile, inChainOrder, recordedExecution, stateAt } from './shared.js';
import '@temporalio/client';
import '@temporalio/common/lib/proto-utils';
import '@temporalio/common';
import '@temporalio/proto';
