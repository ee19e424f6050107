import { type Translation } from '../publish/publishing-sink';
import { lineageOf, type LineageSurroundings } from './lineage-of';

/** Events as OpenLineage run events; most events say nothing about lineage. */
export function asRunEvent(around: LineageSurroundings): Translation {
  return async (batch, item) => {
    const event = await lineageOf(batch, item, around);
    if (!event) return undefined;
    const { event_id } = item.event;
    return {
      id: `lineage/${event_id}`,
      contentType: 'application/json',
      body: JSON.stringify(event),
    };
  };
}
