/**
 * A sink that publishes individual events: in order, at least once, moving the cursor after the acknowledgement.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../../language/errors';
import { type EventBatch, type Sink, type EventItem } from '../sink';
import { CLOUD_EVENT_TYPE, type CloudEvent, cloudEvent } from './cloud-event';

/** One message for another system. */
export interface Outgoing {
  /** The same whenever it is sent. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
}

/** What an event is to another system; undefined if it does not concern it. */
export type Translation = (
  batch: EventBatch,
  item: EventItem,
) => Promise<Outgoing | undefined> | Outgoing | undefined;

/** Every event as a CloudEvent. */
const asCloudEvent: Translation = ({ execution }, { event }) => outgoingEvent(cloudEvent(event, execution));

/** A CloudEvent in structured mode. */
export function outgoingEvent(event: CloudEvent): Outgoing {
  return {
    id: event.id,
    contentType: CLOUD_EVENT_TYPE,
    body: JSON.stringify(event),
  };
}

export interface Publisher {
  readonly name: string;
  /**
   * Resolves when the destination has acknowledged the message. @throws CodedError `SINK_UNREACHABLE`,
   * `SINK_REFUSED`, retryable if the same message may succeed later; other errors count as retryable
   */
  publish(message: Outgoing): Promise<void>;
  close(): Promise<void>;
}

/** For a brief outage of the destination; after a longer one the next visit retries. */
const PAUSES_MS: readonly number[] = [100, 400, 1600];

/** @param readsCalls the translation needs the calls of tasks */
export function publishingSink(
  publisher: Publisher,
  translate: Translation = asCloudEvent,
  { readsCalls = false }: Pick<Sink, 'readsCalls'> = {},
): Sink {
  return {
    name: publisher.name,
    readsCalls,
    async take(batch, cursors) {
      const { execution, events, endedAt } = batch;
      let acknowledged: EventBatch['events'][number]['event'] | undefined;
      try {
        for (const item of events) {
          const message = await translate(batch, item);
          if (message) await withPatience(() => publisher.publish(message));
          acknowledged = item.event;
        }
      } catch (error) {
        if (acknowledged) await cursors.advance(execution, { event: acknowledged });
        throw error;
      }
      await cursors.advance(execution, { event: acknowledged, endedAt });
    },
    close: () => publisher.close(),
  };
}

async function withPatience(publish: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await publish();
    } catch (error) {
      const pause = PAUSES_MS[attempt];
      if (pause === undefined || (error instanceof CodedError && !error.retryable)) throw error;
      await sleep(pause);
    }
  }
}
