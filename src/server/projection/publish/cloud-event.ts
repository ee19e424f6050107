/** A canonical event as a CloudEvent 1.0 in JSON (https://github.com/cloudevents/spec). */
import { type CanonicalEvent } from '../../../history';
import { type Followed } from '../followed';

export const CLOUD_EVENT_TYPE = 'application/cloudevents+json';

export interface CloudEvent {
  readonly specversion: '1.0';
  /** Unique together with `source`, for deduplication. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** Extension "partitioning": events of one key are in order. */
  readonly partitionkey: string;
  readonly executionid: string;
  readonly data: CanonicalEvent;
}

/** `io.noetl.task.done`, from `/noetl/<namespace>/executions/<id>`, about `<entity type>/<id of the run, or name>`. */
export function cloudEvent(event: CanonicalEvent, { namespace }: Followed): CloudEvent {
  const { execution_id, event_type, entity_type } = event;
  return {
    specversion: '1.0',
    id: event.event_id,
    source: `/noetl/${encodeURIComponent(namespace)}/executions/${execution_id}`,
    type: `io.noetl.${event_type}`,
    subject: `${entity_type}/${event.task_run_id ?? event.step_run_id ?? event.entity_id}`,
    time: event.timestamp,
    datacontenttype: 'application/json',
    partitionkey: execution_id,
    executionid: execution_id,
    data: event,
  };
}
