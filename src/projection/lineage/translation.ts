import { type Translation } from '../publish/publishing-sink';
import { lineageOf, type Surroundings } from './lineage-of';

/** Events as OpenLineage run events; most events say nothing about lineage. */
export function asRunEvent(around: Surroundings): Translation {
  return async (batch, item) => {
    const made = await lineageOf(batch, item, around);
    if (!made) return undefined;
    const { event_id, execution_id } = item.event;
    return {
      // In a stream of several subjects, that of the CloudEvent is taken.
      id: `lineage/${event_id}`,
      about: [execution_id, made.eventType],
      contentType: 'application/json',
      body: JSON.stringify(made),
    };
  };
}
