/** Subscriptions: official documents as they are, ours, and every mistake once, with its place. */
import { compileTrigger } from './compile';

const document = (spec: string): string =>
  `apiVersion: noetl.io/v1\nkind: Subscription\nmetadata: {name: shop, path: subscriptions/shop}\nspec:\n${spec.replace(/^/gm, '  ')}\n`;
const found = (spec: string): string[] =>
  compileTrigger(document(spec)).diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);

const OFFICIAL = `source: nats
mode: pull
activation: continuous
auth: nats_main
url: "\${NATS_URL}"
stream: SCANS
consumer: scans-reader
runtime: {target: dedicated-pool, pool: subscription, batch: 50, timeout_ms: 2000}
dispatch:
  playbook: logistics/handle_scan
  payload_from: message.json
  execution_pool: subscription
  batch_dispatch: true
  batch_max: 20
headers:
  normalize: true
  directives:
    - {header: X-Route, controls: dispatch.playbook, allowed: [logistics/handle_scan, logistics/express]}
    - {header: x-key, controls: idempotency_key}
    - {header: x-class, controls: priority, map: {gold: fast}}
  trace: {propagate: w3c, baggage_allowlist: [tenant]}
  passthrough: data
dedup: {enabled: true, window_secs: 600}
limits: {max_in_flight: 200, max_dispatch_per_sec: 50}
spool: {mode: buffer_and_ack, backend: local_disk, path: /var/spool}`;

test('an official document is a trigger; what has no effect here is said', () => {
  const { trigger, diagnostics } = compileTrigger(document(OFFICIAL));
  expect(diagnostics.map(({ code }) => code)).toEqual(['NT2090']);
  expect(trigger).toEqual({
    metadata: { path: 'subscriptions/shop', name: 'shop' },
    source: 'nats',
    mode: 'pull',
    auth: 'nats_main',
    connection: { url: '${NATS_URL}', stream: 'SCANS', consumer: 'scans-reader' },
    batch: 50,
    waitMs: 2000,
    workers: 1,
    dispatch: {
      playbook: 'logistics/handle_scan',
      payloadFrom: 'message.json',
      pool: 'subscription',
      atOnce: 20,
    },
    directives: [
      {
        header: 'x-route',
        controls: 'dispatch.playbook',
        allowed: ['logistics/handle_scan', 'logistics/express'],
      },
      { header: 'x-key', controls: 'idempotency_key' },
      { header: 'x-class', controls: 'priority', map: { gold: 'fast' } },
    ],
    trace: { baggage: ['tenant'] },
    windowSecs: 600,
    limits: { inFlight: 200, perSecond: 50 },
    keepDeadSecs: 1_209_600,
  });
});

test('an official webhook: a gateway_path elsewhere is known by its last name', () => {
  const webhook = (path: string): string =>
    `source: webhook\nmode: push\ningress: {gateway_path: ${path}, verify: {type: hmac_sha256, header: X-Signature, secret: key}}\ndispatch: {playbook: a}`;
  const { trigger, diagnostics } = compileTrigger(document(webhook('/ingress/shop')));
  expect(diagnostics).toEqual([]);
  expect(trigger?.ingress).toMatchObject({
    listener: 'shop',
    maxBytes: 1_048_576,
    verify: {
      type: 'hmac',
      header: 'x-signature',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      signed: '{body}',
    },
  });
  expect(compileTrigger(document(webhook('/ingress/a/b'))).trigger?.ingress?.listener).toBe('a/b');
  expect(compileTrigger(document(webhook('/hooks/a/b'))).trigger?.ingress?.listener).toBe('b');
});

const PULL = 'source: postgres\nauth: pg\ntable: jobs\n';
const PUSH = 'source: webhook\nmode: push\ndispatch: {playbook: a}\ningress: ';
test.each([
  [
    PULL +
      'dispatch: {playbook: a, workload: {n: "{{ message.body.n | int }}"}, where: "{{ message.body.n > 1 }}", key: "{{ message.headers.k }}"}',
    [],
  ],
  ['source: postgres\nauth: pg\ndispatch: {playbook: a}', ['NT2005 5:3']],
  ['source: postgres\ntable: jobs\ndispatch: {playbook: a}', ['NT2005 5:3']],
  [PULL, ['NT2005 5:3']],
  [PULL + 'dispatch: {}', ['NT2005 8:13']],
  ['source: postgre\ndispatch: {playbook: a}', ['NT2004 5:11']],
  ['dispatch: {playbook: a}', ['NT2005 5:3']],
  ['source: kafka\nbrokers: b\ntopic: t\ngroup: g\ndispatch: {playbook: a}', ['NT2005 5:3']],
  ['source: kafka\nmode: push\nbrokers: b\ntopic: t\ngroup: g\ndispatch: {playbook: a}', ['NT2004 6:9']],
  ['source: webhook\nmode: push\ndispatch: {playbook: a}', ['NT2005 5:3']],
  [PULL + 'tabel: x\ndispatch: {playbook: a}', ['NT2001 8:3']],
  [PULL + 'dispatch: {playbook: a//b}', ['NT2062 8:24']],
  [PULL + 'dispatch: {playbook: a, key: "{{ mesage.id }}"}', ['NT3011 8:36']],
  [PULL + 'dispatch: {playbook: a, key: "{{ message.id | hexx }}"}', ['NT4102 8:49']],
  [PULL + 'dispatch: {playbook: a, where: "{{ message. }}"}', ['NT4001 8:47']],
  [PULL + 'dispatch: {playbook: a, workload: {a: 1}, payload_from: message.body}', ['NT2006 8:59']],
  [PULL + 'dispatch: {playbook: a, batch_max: 0}', ['NT2003 8:38']],
  [PULL + 'dispatch: {playbook: a}\nlimits: {max_in_flight: many}', ['NT2003 9:27']],
  [
    PULL + 'dispatch: {playbook: a}\nheaders: {directives: [{header: x, controls: dispatch.playbook}]}',
    ['NT2005 9:27'],
  ],
  [
    PULL + 'dispatch: {playbook: a}\nheaders: {directives: [{header: x, controls: priority}]}',
    ['NT2005 9:27'],
  ],
  [PULL + 'dispatch: {playbook: a}\nheaders: {directives: [{header: x, controls: prio}]}', ['NT2004 9:48']],
  [
    PUSH + '{gateway_path: /ingress/a, verify: {type: hmac, header: x, secret: k, signed: "{timestamp}"}}',
    ['NT2005 8:48', 'NT2004 8:90'],
  ],
  [PUSH + '{gateway_path: /ingress/a, verify: {type: github}}', ['NT2005 8:48']],
  [PUSH + '{gateway_path: /ingress/a, verify: {type: pubsub_oidc}}', ['NT2005 8:48', 'NT2005 8:48']],
  [
    PUSH +
      '{gateway_path: /ingress/a, verify: {type: pubsub_oidc, audience: a, service_account: s, keys_url: http://k}}',
    ['NT2004 8:110'],
  ],
  [PUSH + '{gateway_path: /ingress/a, verify: {type: none}}', ['NT2004 8:54']],
  [PUSH + '{gateway_path: ingress a, verify: {type: bearer, secret: k}}', ['NT2062 8:27']],
  [PUSH + '{gateway_path: /ingress/a}', ['NT2005 8:13']],
  [
    'source: nats\nmode: pull\nstream: s\nconsumer: c\npassword: abc\ndispatch: {playbook: a}',
    ['NT2070 9:13'],
  ],
])('%s', (spec, expected) => {
  expect(found(spec)).toEqual(expected);
});

test('a source of an extension has its own keys', () => {
  const sources = new Map([
    ['mqtt', { modes: ['pull'] as const, fields: { topic: { type: 'any' as const, doc: 'x' } } }],
  ]);
  const { trigger } = compileTrigger(document('source: mqtt\ntopic: t\ndispatch: {playbook: a}'), {
    sources,
  });
  expect(trigger).toMatchObject({ source: 'mqtt', mode: 'pull', connection: { topic: 't' } });
});

test('labels of a subscription are those of what it starts; wrong ones are refused', () => {
  const text = (labels: string): string =>
    `apiVersion: noetl.io/v1\nkind: Subscription\nmetadata: {name: shop, path: s/shop, labels: ${labels}}\n` +
    `spec: {source: postgres, auth: pg, table: t, dispatch: {playbook: a/b}}\n`;
  expect(compileTrigger(text('{team: sales}')).trigger?.metadata.labels).toEqual({ team: 'sales' });
  expect(compileTrigger(text('{team: two words}')).diagnostics).toMatchObject([{ code: 'NT2063', line: 3 }]);
});
