/**
 * W3C Trace Context between OpenTelemetry and its carriers. Without baggage, which contains values of callers that
 * do not belong in Temporal's histories.
 */
import { createTraceState, type TextMapPropagator, trace, TraceFlags } from '@opentelemetry/api';
import { carrierOf, tracePlaceIn } from './context';
import { compact } from '../../language/plan';

export const traceContext: TextMapPropagator = {
  inject(context, carrier, setter) {
    const at = trace.getSpanContext(context);
    if (!at) return;
    const { traceId, spanId, traceFlags, traceState } = at;
    const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
    const state = traceState?.serialize() || undefined;
    const carried = carrierOf({ traceId, spanId, flags, ...compact({ state }) });
    for (const [name, value] of Object.entries(carried)) setter.set(carrier, name, value as string);
  },
  extract(context, carrier, getter) {
    const [traceparent, tracestate] = ['traceparent', 'tracestate'].map((name) => {
      const value = getter.get(carrier, name);
      return Array.isArray(value) ? value[0] : value;
    });
    const place = tracePlaceIn({ traceparent, tracestate });
    if (!place) return context;
    const { traceId, spanId, flags, state } = place;
    return trace.setSpanContext(context, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
      isRemote: true,
      ...(state !== undefined && { traceState: createTraceState(state) }),
    });
  },
  fields: () => ['traceparent', 'tracestate'],
};
