import { type Translation } from '../publish/publishing-sink';
import { lineageOf, type LineageSurroundings } from './lineage-of';

/** Events as OpenLineage run events; most events say nothing about lineage. */
export function asRunEvent(around: LineageSurroundings): Translation {
  return async (batch, item) => {
    const event = await lineageOf(batch, item, around);
    if (!event) return undefined;
    const { event_id, execution_id } = item.event;
    return {
      // In a stream of several subjects, that of the CloudEvent is taken.
      id: `lineage/${event_id}`,
      about: [execution_id, event.eventType],
      contentType: 'application/json',
      body: JSON.stringify(event),
    };
  };
}
