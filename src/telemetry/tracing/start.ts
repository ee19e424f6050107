/** Tracing of this process: OpenTelemetry's SDK, configured by its standard variables. */
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { messageOf } from '../../language/errors';
import { TaskSpans } from './activities';
import { ClientSpans, traceEachFiring } from './client';
import { traceContext } from './propagator';
import { tracedRequests } from './requests';
import { runSpans } from './run-spans';
import { mayTellHost, type TracingSettings } from './settings';
import { type Tracing } from './tracing';

const FLUSH_MS = 3_000;

/**
 * Installs the process' trace provider. Spans are exported in batches in the background; batches that a collector
 * does not accept in time are dropped, reported once, and delay nothing.
 *
 * @param tell called with the first failed export
 */
export function startTracing(
  { serviceName, tellHosts }: TracingSettings,
  version: string,
  tell: (trouble: string) => void,
): Tracing {
  const lost = once(tell);
  const quiet = (): void => undefined;
  // The SDK's own diagnostics, for batches lost in transit.
  diag.setLogger(
    { error: (message) => lost(reasonIn(message)), warn: quiet, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes({ 'service.name': serviceName }));
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({ propagator: traceContext });
  const runs = runSpans(processor, resource);
  const tracer = provider.getTracer('noetl-temporal', version);
  return {
    client: {
      workflow: [new ClientSpans({ tracer })],
      schedule: [traceEachFiring],
    },
    requests: tracedRequests(tracer),
    within: (headers, act) => context.with(propagation.extract(context.active(), headers), act),
    worker: {
      activities: (activity) => ({ inbound: new TaskSpans(activity, tracer) }),
      sinks: runs.sinks,
      headersFor: (url) => (mayTellHost(tellHosts, url.hostname) ? currentHeaders() : {}),
      traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    },
    async shutdown() {
      runs.flush();
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, FLUSH_MS))).then(() =>
        // The exporter retries for longer than this before it reports why.
        lost(`the collector did not take them within ${FLUSH_MS / 1000} s`),
      );
      await Promise.race([provider.shutdown().catch((error: unknown) => lost(messageOf(error))), limit]);
      clearTimeout(timer);
      // For a process that starts tracing again.
      [trace, propagation, context, diag].forEach((api) => api.disable());
    },
  };
}

function currentHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Every lost batch is reported by the SDK; only the first is passed on. */
function once(tell: (trouble: string) => void): (reason: string) => void {
  let isReported = false;
  return (reason) => {
    if (!isReported) tell(`traces are not delivered: ${reason}`);
    isReported = true;
  };
}

/** OpenTelemetry's error handler formats the error as JSON with a stack trace. */
function reasonIn(message: string): string {
  try {
    const { message: reason, code, name } = JSON.parse(message) as Record<string, string | undefined>;
    return reason || code || name || message;
  } catch {
    return message.split('\n')[0] ?? message;
  }
}
