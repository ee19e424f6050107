/** The systems that `project` writes to. */
import { type Pool } from 'pg';
import {
  asRunEvent,
  type Companion,
  httpPublisher,
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
  /** Receives OpenLineage run events. */
  readonly openlineage?: string;
}

interface SinkParts {
  readonly pool: Pool;
  readonly companions: readonly Companion[];
  readonly lineage: LineageSurroundings;
}

/** In the order of the options, the tables first. */
export function openSinks(
  { tables, cloudevents, openlineage }: SinkOptions,
  { pool, companions, lineage }: SinkParts,
  closing: Closing,
): Sink[] {
  const sinks: Sink[] = [];
  const add = (sink: Sink): void => {
    sinks.push(sink);
    closing.add(() => sink.close());
  };
  if (tables) add(postgresSink(pool, ...companions));
  if (cloudevents !== undefined) {
    const token = process.env.NOETL_CLOUDEVENTS_TOKEN;
    add(publishingSink(httpPublisher('cloudevents', cloudevents, token)));
  }
  if (openlineage !== undefined) {
    const token = process.env.NOETL_OPENLINEAGE_TOKEN;
    const publisher = httpPublisher('openlineage', openlineage, token);
    add(publishingSink(publisher, asRunEvent(lineage), { readsCalls: true }));
  }
  return sinks;
}
