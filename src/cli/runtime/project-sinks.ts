/** The systems that `project` writes to. */
import { type Pool } from 'pg';
import {
  asRunEvent,
  type Companion,
  httpPublisher,
  natsPublisher,
  postgresSink,
  publishingSink,
  type Sink,
  type LineageSurroundings,
} from '../../server/projection';
import { type Closing } from '../../language/errors';

/** Which systems. */
export interface SinkOptions {
  /** Writes noetl.event, noetl.execution and noetl.transient. */
  readonly tables: boolean;
  readonly cloudevents?: string;
  readonly nats?: string;
  /** Receives OpenLineage run events: http(s) or NATS. */
  readonly openlineage?: string;
  /** Prefix of their subjects, over NATS. */
  readonly openlineageSubject: string;
  readonly natsSubject: string;
}

const NATS_STREAM = 'NOETL_EVENTS';
const LINEAGE_STREAM = 'NOETL_LINEAGE';

interface SinkParts {
  readonly pool: Pool;
  readonly companions: readonly Companion[];
  readonly lineage: LineageSurroundings;
}

/** In the order of the options, the tables first. */
export async function openSinks(
  { tables, cloudevents, nats, natsSubject, openlineage, openlineageSubject }: SinkOptions,
  { pool, companions, lineage }: SinkParts,
  closing: Closing,
): Promise<Sink[]> {
  const sinks: Sink[] = [];
  const add = (sink: Sink): void => {
    sinks.push(sink);
    closing.add(() => sink.close());
  };
  const credentials = process.env.NOETL_NATS_CREDS || undefined;
  if (tables) add(postgresSink(pool, ...companions));
  if (cloudevents !== undefined) {
    const token = process.env.NOETL_CLOUDEVENTS_TOKEN;
    add(publishingSink(httpPublisher('cloudevents', cloudevents, token)));
  }
  if (nats !== undefined)
    add(
      publishingSink(
        await natsPublisher({ url: nats, prefix: natsSubject, stream: NATS_STREAM, credentials }),
      ),
    );
  if (openlineage !== undefined) {
    const isNats = !/^https?:/.test(openlineage);
    const token = process.env.NOETL_OPENLINEAGE_TOKEN;
    const target = { url: openlineage, prefix: openlineageSubject, stream: LINEAGE_STREAM, credentials };
    const publisher = isNats ? await natsPublisher(target) : httpPublisher('openlineage', openlineage, token);
    add(publishingSink(publisher, asRunEvent(lineage), { readsCalls: true }));
  }
  return sinks;
}
