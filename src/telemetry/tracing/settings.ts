/** Whether and where traces are exported, from OpenTelemetry's standard variables. */

type Env = Readonly<Record<string, string | undefined>>;

export interface TracingSettings {
  readonly serviceName: string;
  /** Hosts that receive the trace context in outgoing http calls (`mayTellHost`). */
  readonly tellHosts: readonly string[];
}

export type TracingDecision =
  | { readonly on: true; readonly settings: TracingSettings; readonly warnings: readonly string[] }
  | { readonly on: false; readonly warnings: readonly string[] };

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/**
 * Off unless an endpoint is set, or if the standard's variables disable it. An invalid variable is reported and
 * ignored, as the standard requires: tracing must never stop a process.
 *
 * @param command the process' own name: `serve`, `worker` …
 */
export function tracingSettings(command: string, env: Env): TracingDecision {
  const off = (...warnings: string[]): TracingDecision => ({ on: false, warnings });
  const endpoint = ENDPOINTS.find((name) => env[name]);
  if (endpoint === undefined || isTrue(env['OTEL_SDK_DISABLED'])) return off();
  const exporter = env['OTEL_TRACES_EXPORTER'] || 'otlp';
  if (exporter === 'none') return off();
  if (exporter !== 'otlp')
    return off(`OTEL_TRACES_EXPORTER=${exporter}: only otlp is supported; tracing is off`);
  if (!/^https?:$/.test(protocolOf(env[endpoint]!)))
    return off(`${endpoint}=${env[endpoint]}: expected an http or https URL; tracing is off`);
  const protocol = PROTOCOLS.map((name) => env[name]).find(Boolean);
  const warnings =
    protocol === undefined || protocol === 'http/json'
      ? []
      : [`OTLP by ${protocol} was asked for: traces are sent as http/json`];
  return {
    on: true,
    settings: {
      serviceName: env['OTEL_SERVICE_NAME'] || `noetl-${command}`,
      tellHosts: (env['NOETL_TRACE_HOSTS'] ?? '')
        .split(',')
        .flatMap((host) => host.trim().toLowerCase() || []),
    },
    warnings,
  };
}

/**
 * Whether requests to a host may carry the trace context. Only named hosts receive it: a trace id is not secret,
 * but it would let third parties correlate calls.
 *
 * @param hosts names, `*.example.com` for all subdomains, `*` for all
 */
export function mayTellHost(hosts: readonly string[], hostname: string): boolean {
  const host = hostname.toLowerCase();
  return hosts.some(
    (one) => one === '*' || one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))),
  );
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

function isTrue(text: string | undefined): boolean {
  return /^true$/i.test(text ?? '');
}
