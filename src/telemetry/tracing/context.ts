/**
 * The trace that an execution belongs to, as it travels in headers of Temporal (W3C Trace Context in the header of
 * Temporal's OpenTelemetry package). Pure: the same in the workflow and outside of it.
 */

/** The header of @temporalio/interceptors-opentelemetry-v2; history files keep it, so it stays. */
export const TRACE_HEADER = '_tracer-data';

/** What the header carries; empty where a trace is asked for without being given. */
export interface Carrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** A place in a trace: ids in lower-case hexadecimal, flags as two digits. */
export interface TracePlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
  readonly state?: string;
}

const SAMPLED = 0x01;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
/** What the standard wants carried at least, and what we carry at most: it is kept in history. */
const MAX_STATE = 512;

/** The place that a carrier names; undefined when it names none, or none that makes sense. */
export function tracePlaceIn({ traceparent, tracestate }: Carrier): TracePlace | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const state = typeof tracestate === 'string' && tracestate.length <= MAX_STATE ? tracestate : '';
  return { traceId, spanId, flags, ...(state !== '' && { state }) };
}

export function carrierOf({ traceId, spanId, flags, state }: TracePlace): Carrier {
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(state !== undefined && { tracestate: state }),
  };
}

export function isSampled({ flags }: TracePlace): boolean {
  return (Number.parseInt(flags, 16) & SAMPLED) !== 0;
}

/** The span of one run of a workflow. */
export interface RunPlace extends TracePlace {
  /** Of who started it; absent at the root of a trace. */
  readonly parentSpanId?: string;
}

/**
 * Where a run of a workflow stands in the trace of its header. Its span's id is taken from the run's id, so that it is
 * the same in every replay and on every worker; so is the trace's where the header is empty, which asks for a trace for
 * each run (a schedule).
 *
 * @param carrier what the header holds, from anybody who may start workflows
 * @param runId of Temporal: a UUID
 */
export function placeOfRun(carrier: unknown, runId: string): RunPlace | undefined {
  if (typeof carrier !== 'object' || carrier === null) return undefined;
  const id = runId.toLowerCase().replace(/[^0-9a-f]/g, '');
  if (id.length !== 32) return undefined;
  const spanId = id.slice(16);
  const given = carrier as Carrier;
  if (given.traceparent === undefined) return { traceId: id, spanId, flags: '01' };
  const place = tracePlaceIn(given);
  return place && { ...place, spanId, parentSpanId: place.spanId };
}
