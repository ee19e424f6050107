/** HTTP requests. */
import { isMapping, type Json, type JsonObject } from '../../plan/json';
import { HTTP_LOGINS } from '../credentials';
import { type KindDeclaration, type KindMock } from '../declaration';
import { AUTH } from '../fields';
import { type Datasets, type ToolFields } from '../lineage';

const MOCK: KindMock = {
  words: {
    status: 'The status of the response; default 200.',
    headers: 'Headers of the response.',
    body: 'The body of the response.',
    url: 'Where it came from, after redirects; default: the address of the request.',
    elapsed_ms: 'How long it took; default: the duration of the task.',
  },
  least: { status: 200, body: {} },
  failure: 'connection',
  wrong: (word, value) => {
    if (word === 'status' && !isStatus(value)) return 'a status from 100 to 599';
    return word === 'headers' && !isMapping(value) ? 'a mapping' : undefined;
  },
  bare: (value) => ({ body: value }),
  outcome: ({ status = 200, headers = {}, body = null, ...of }, { config, ms, fail }) => {
    const address = String(config.url ?? config.endpoint ?? '');
    const { url = address, elapsed_ms = ms } = of;
    const http = { status: status as number, headers: lowerCase(headers as JsonObject) };
    const result = { status_code: http.status, headers: http.headers, url, elapsed_ms, data: body };
    if (http.status >= 200 && http.status <= 299) {
      return { status: 'ok', result, error: null, meta: {}, http };
    }
    const method = String(config.method ?? 'GET');
    const retryAfter = http.headers['retry-after'];
    const error = {
      message: `${method} ${address} answered ${http.status}`,
      status: http.status,
      retryable: http.status === 429 || http.status === 408 || http.status >= 500,
      ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    };
    return { ...fail(error, result), http };
  },
};

function isStatus(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599;
}

/** As the tool returns headers. */
function lowerCase(headers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Reading for GET and HEAD, writing for POST, PUT and PATCH; without query and user. */
function used({ url, endpoint, method = 'GET' }: ToolFields): Partial<Datasets> {
  const address = url ?? endpoint;
  if (typeof address !== 'string' || !/^https?:/.test(address) || !URL.canParse(address)) return {};
  const { protocol, host, pathname } = new URL(address);
  const dataset = [{ namespace: `${protocol}//${host}`, name: pathname.replace(/^\/+(?=.)/, '') }];
  const verb = String(method).toUpperCase();
  if (['GET', 'HEAD'].includes(verb)) return { inputs: dataset };
  return ['POST', 'PUT', 'PATCH'].includes(verb) ? { outputs: dataset } : {};
}

export const httpKind: KindDeclaration = {
  doc: 'An HTTP request.',
  closed: true,
  inputs: 'templates',
  fields: {
    url: 'The address.',
    endpoint: 'Alias of `url`.',
    method: 'Default `GET`.',
    params: 'Query parameters.',
    headers: 'Headers.',
    json: 'The body, sent as JSON.',
    payload: 'Alias of `json`.',
    data: 'The body: JSON for a mapping or list, otherwise text.',
    body: 'Alias of `data`.',
    form: 'The body, as a form.',
    files:
      'Files to send with `form`, as multipart: `{field: path}`, or `{field: {path | content, filename, content_type}}`.',
    body_file: 'The body, from a file of the worker.',
    body_base64: 'The body, as base64-encoded bytes.',
    ...AUTH,
    timeout: 'Seconds for the whole request.',
    timeout_seconds: 'Alias of `timeout`.',
    follow_redirects: 'Whether redirects are followed.',
    verify_ssl: 'Whether certificates are verified.',
    verify: 'Alias of `verify_ssl`.',
    tls: 'Trusted authorities and client certificate: `{ca, cert, key, passphrase, servername, verify}`, PEM text or files.',
    proxy: 'The proxy, overriding that of the environment; `false` for none.',
    save_to:
      'Where to write the response: a file of the worker, or `{store: results}`, the store of large results.',
    max_response_bytes: 'The maximum response size; default 32 MiB, or 10 GiB with `save_to`.',
    response_type: '`json`, `text` or `binary`; default from the response.',
  },
  required: [['url', 'endpoint']],
  exclusive: [
    ['url', 'endpoint'],
    ['json', 'payload', 'data', 'body', 'form', 'body_file', 'body_base64'],
    ['files', 'json', 'payload', 'data', 'body', 'body_file', 'body_base64'],
    ['verify_ssl', 'verify'],
    ['timeout', 'timeout_seconds'],
    ['auth', 'credential'],
  ],
  strict: ['url', 'endpoint', 'headers', 'auth', 'credential'],
  spec: { timeout: { connect: 10 } },
  texts: ['params'],
  stores: 'body',
  concurrency: 100,
  payload: { field: 'data', also: 'body' },
  details: ['headers', 'url', 'elapsed_ms'],
  probe: { method: 'GET', url: '{{ workload.url }}' },
  credentials: HTTP_LOGINS,
  mock: MOCK,
  failures: [{ status: 503 }, { status: 429 }, { status: 400 }, { kind: 'connection' }],
  respondsOverHttp: true,
  lineage: { uses: used },
  hints: [
    [/^HTTP_(401|403)$/, 'the server rejected the credential: check the `auth` of the task.'],
    [/^HTTP_429$/, 'a rule with `do: retry` waits as long as the server asks (Retry-After).'],
    [
      /^HTTP_5\d\d$/,
      'a rule `when: "{{ output.error.retryable }}"` with `do: retry` survives an outage of the server.',
    ],
  ],
  timeout: 30,
  delivery: { killed: 'at least once; once if the server honors `Idempotency-Key`, which writes send' },
};
