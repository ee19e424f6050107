export { Consumer, type Consumed } from './consumer';
export { Cursors } from './cursors';
export { ProjectionLeases } from './leases';
export { cloudEvent } from './publish/cloud-event';
export { httpPublisher } from './publish/http';
export { outgoingEvent, publishingSink } from './publish/publishing-sink';
export { type Followed } from './followed';
export { deliveryThreads } from './deriving/threads';
export { visitExecution } from './visit';
export { type EventBatch, type Sink, type EventItem } from './sink';
export { type Companion, postgresSink } from './tables/postgres-sink';
export { forgetExecutions } from './tables/forget';
export { jsonText } from './tables/json-text';
export { type RunCause, type RunFilter, type RunRow, Runs } from './tables/runs';
export { segmentWith } from './tables/keyframes';
export { storedEvent, storedEvents } from './tables/stored-events';
export {
  type TableQuery,
  eventsAfter,
  eventsWith,
  newestRows,
  noetlRowsAfter,
  eventPosition,
  rowsAfter,
  storedExecution,
  type StoredExecution,
  variableFacts,
} from './tables/pages';
export { measuredSink, measureFailing } from './measured';
export { serverIn } from './lineage/datasets';
export { lineageOfPlan, type LineageSurroundings } from './lineage/lineage-of';
export { asRunEvent } from './lineage/translation';
