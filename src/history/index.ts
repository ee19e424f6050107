export { recordedExecution, type RecordedExecution } from './recorded';
export { type CanonicalEvent, eventsOf } from './events';
export { HistoryError, readHistory, type Recorded, type TaskFacts, type Window } from './inputs';
