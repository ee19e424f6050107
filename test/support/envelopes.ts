/** Events of a simulation in their envelopes, as a history would give them. */
import { type EngineEvent } from '../../src/engine/machine';
import { type CanonicalEvent } from '../../src/history';
import { envelope } from '../../src/history/events';
import { START } from './simulator';

export function enveloped(events: readonly EngineEvent[]): CanonicalEvent[] {
  return events.map((event, position) =>
    envelope(event, {
      executionId: '123456789012345678',
      line: '0',
      eventId: 3,
      ordinal: position,
      seq: position + 1,
      engineVersion: 1,
      latest: 0,
      at: START + position,
    }),
  );
}
