/**
 * A sink that publishes individual events: in order, at least once, moving the cursor after the acknowledgement.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../../errors';
import { type Batch, type Sink } from '../sink';
import { type CloudEvent, cloudEvent } from './cloud-event';

export interface Publisher {
  readonly name: string;
  /**
   * Resolves when the destination has acknowledged the event. @throws CodedError `SINK_UNREACHABLE`,
   * `SINK_REFUSED`, retryable if the same event may succeed later; other errors count as retryable
   */
  publish(event: CloudEvent): Promise<void>;
  close(): Promise<void>;
}

/** For a brief outage of the destination; after a longer one the next visit retries. */
const PAUSES_MS: readonly number[] = [100, 400, 1600];

export function publishingSink(publisher: Publisher): Sink {
  return {
    name: publisher.name,
    async take({ execution, events, endedAt }: Batch, cursors) {
      let acknowledged: Batch['events'][number]['event'] | undefined;
      try {
        for (const { event } of events) {
          await withPatience(() => publisher.publish(cloudEvent(event, execution)));
          acknowledged = event;
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
