/** Traces of this process: OpenTelemetry's SDK, set up by its standard variables. */
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { messageOf } from '../errors';
import { TaskSpans } from './activities';
import { ClientSpans, traceEachFiring } from './client';
import { traceContext } from './propagator';
import { tracedRequests } from './requests';
import { runSpans } from './run-spans';
import { mayTellHost, type TracingSettings } from './settings';
import { type Tracing } from './tracing';

const FLUSH_MS = 3_000;

/**
 * Sets up the process' one provider of traces. Spans leave in batches, in the background; what a collector does not
 * take in time is dropped, told once, and holds nobody up.
 *
 * @param tell told of the first batch that could not be delivered
 */
export function startTracing(
  { serviceName, tellHosts }: TracingSettings,
  version: string,
  tell: (trouble: string) => void,
): Tracing {
  const lost = once(tell);
  const quiet = (): void => undefined;
  // The SDK's own word, for batches that were lost on the way.
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
        // The exporter tries again for longer than that before it says why.
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

/** Every batch that is lost is told of; the first time is news. */
function once(tell: (trouble: string) => void): (reason: string) => void {
  let told = false;
  return (reason) => {
    if (!told) tell(`traces are not delivered: ${reason}`);
    told = true;
  };
}

/** OpenTelemetry's error handler says it as JSON, with a stack. */
function reasonIn(message: string): string {
  try {
    const { message: reason, code, name } = JSON.parse(message) as Record<string, string | undefined>;
    return reason || code || name || message;
  } catch {
    return message.split('\n')[0] ?? message;
  }
}
