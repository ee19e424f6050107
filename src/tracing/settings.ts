/** Whether and where traces go, by OpenTelemetry's standard variables. */

type Env = Readonly<Record<string, string | undefined>>;

export interface TracingSettings {
  readonly serviceName: string;
  /** Where outgoing http calls may carry the trace (`mayTellHost`). */
  readonly tellHosts: readonly string[];
}

export type Decision =
  | { readonly on: true; readonly settings: TracingSettings; readonly warnings: readonly string[] }
  | { readonly on: false; readonly warnings: readonly string[] };

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/**
 * Off unless an endpoint is named, and where the standard's variables say so. A variable that makes no sense is told
 * and passed over, as the standard wants: traces are never a reason not to run.
 *
 * @param command the process' own name: `serve`, `worker` …
 */
export function tracingSettings(command: string, env: Env): Decision {
  const off = (...warnings: string[]): Decision => ({ on: false, warnings });
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
 * Whether a host may learn the trace of a request to it. Nobody does unless named: a trace id is no secret, but it
 * links calls that a stranger has no business to link.
 *
 * @param hosts names, `*.example.com` for everything below one, `*` for all
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
