import { mayTellHost, tracingSettings } from './settings';

const URL_OF_COLLECTOR = 'http://collector:4318';

test.each([
  ['no endpoint', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['the SDK disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: URL_OF_COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }],
  ['no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: URL_OF_COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
])('%s: no traces, and nothing to say', (_, env) => {
  expect(tracingSettings('serve', env)).toEqual({ on: false, warnings: [] });
});

test.each([
  ['an endpoint that is no URL', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'collector:4318'],
  [
    'another exporter',
    { OTEL_EXPORTER_OTLP_ENDPOINT: URL_OF_COLLECTOR, OTEL_TRACES_EXPORTER: 'zipkin' },
    'zipkin',
  ],
])('%s: no traces, and a warning', (_, env, said) => {
  const decision = tracingSettings('serve', env);
  expect(decision.on).toBe(false);
  expect(decision.warnings).toEqual([expect.stringContaining(said)]);
});

test('an endpoint switches traces on; the service is named by the command unless it has a name', () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: URL_OF_COLLECTOR };
  expect(tracingSettings('worker', env)).toEqual({
    on: true,
    settings: { serviceName: 'noetl-worker', tellHosts: [] },
    warnings: [],
  });
  const more = { ...env, OTEL_SERVICE_NAME: 'etl', NOETL_TRACE_HOSTS: 'API.internal, ,*.example.com' };
  expect(tracingSettings('worker', more)).toMatchObject({
    settings: { serviceName: 'etl', tellHosts: ['api.internal', '*.example.com'] },
  });
});

test('another protocol of OTLP is told: only one is spoken', () => {
  const decision = tracingSettings('serve', {
    OTEL_EXPORTER_OTLP_ENDPOINT: URL_OF_COLLECTOR,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  });
  expect(decision).toMatchObject({ on: true, warnings: [expect.stringContaining('grpc')] });
});

test('a host learns of a trace only when it is named', () => {
  const hosts = ['api.internal', '*.example.com'];
  expect(mayTellHost([], 'api.internal')).toBe(false);
  expect(mayTellHost(hosts, 'API.internal')).toBe(true);
  expect(mayTellHost(hosts, 'a.b.example.com')).toBe(true);
  expect(mayTellHost(hosts, 'example.com')).toBe(false);
  expect(mayTellHost(hosts, 'notexample.com')).toBe(false);
  expect(mayTellHost(['*'], 'anything')).toBe(true);
});
