/** The tables of `kind: Subscription`. */
import * as field from '../schema/fields';
import { type SchemaShape, shape } from '../schema/shape';

const text = field.anyTextField;

const VERIFY: SchemaShape = shape('`verify`', 'error', {
  type: field.required(
    field.keyword(
      ['hmac_sha256', 'hmac', 'github', 'stripe', 'slack', 'standard', 'bearer', 'basic', 'pubsub_oidc'],
      'How a request proves who sends it.',
    ),
  ),
  secret: text('The name of the credential with the secret.'),
  header: text('The header with the signature or the token.'),
  algorithm: field.keyword(['sha256', 'sha1', 'sha512'], 'Of `hmac`; default sha256.'),
  encoding: field.keyword(['hex', 'base64'], 'Of the signature; default hex.'),
  prefix: text('Of the signature: `v0=`.'),
  signed: text('What is signed: `{timestamp}.{body}`; default `{body}`.'),
  timestamp_header: text('The header with the signed time, in seconds since 1970.'),
  id_header: text('The header with the signed id.'),
  tolerance: field.durationField('How old or early a signed time may be; default 5m.'),
  audience: text('Of `pubsub_oidc`: for whom the token is.'),
  service_account: text('Of `pubsub_oidc`: whose token it is.'),
  issuer: text('Of `pubsub_oidc`: who issues tokens; default `https://accounts.google.com`.'),
  keys_url: text("Of `pubsub_oidc`: where the issuer's keys are; default Google's."),
});

const INGRESS: SchemaShape = shape('`ingress`', 'error', {
  gateway_path: field.required(text('Its address: `/ingress/shop`.')),
  verify: field.required(field.nestedField(() => VERIFY, 'How a request proves who sends it.')),
  max_bytes: field.count('The largest body; default 1 MiB, at most 8 MiB.'),
  respond: field.keyword(['id', 'result'], 'Answer at once, or with the result at the end; default `id`.'),
  respond_within: field.limitField('How long an answer waits for the end; default 30s, at most 5m.'),
});

const DISPATCH: SchemaShape = shape('`dispatch`', 'error', {
  playbook: field.required(text('The path of the playbook.')),
  version: text('Its version; default the latest.'),
  payload_from: text('`message.json`, `message.attributes` or `message.body`: what its workload is made of.'),
  workload: field.anyMappingField('Its workload, with templates: `{id: "{{ message.body.id }}"}`.'),
  where: field.conditionField('Which messages; others are acknowledged, and nothing is started.'),
  key: text('What tells messages apart, a template; default: the id of the message.'),
  execution_pool: text('The pool of workers of all its tasks.'),
  batch_dispatch: field.boolean('Executions of a batch are started at the same time; default: in order.'),
  batch_max: field.count('So many of them at a time.'),
});

const DIRECTIVE: SchemaShape = shape('a directive', 'error', {
  header: field.required(text('The header that instructs.')),
  controls: field.required(
    field.keyword(
      [
        'dispatch.playbook',
        'dispatch.execution_pool',
        'priority',
        'idempotency_key',
        'content_type',
        'schema_hint',
      ],
      'What it decides.',
    ),
  ),
  allowed: field.listField('text', 'The values that count.'),
  map: field.anyMappingField('Of `priority`: from a value to a pool.'),
});

const HEADERS: SchemaShape = shape('`headers`', 'error', {
  normalize: field.any('Names are in lower case in any case.'),
  directives: field.listField({ shape: () => DIRECTIVE }, 'Headers that instruct.'),
  trace: field.nestedField(
    () =>
      shape('`trace`', 'error', {
        propagate: field.keyword(['w3c', 'none'], 'Whether its execution continues the trace; default none.'),
        baggage_allowlist: field.listField('text', 'Keys of baggage that go with it.'),
      }),
    'The trace of the message.',
  ),
  passthrough: field.any('All other headers are data.'),
});

const RUNTIME: SchemaShape = shape('`runtime`', 'warning', {
  target: field.any('Read by nothing.'),
  pool: field.any('Read by nothing.'),
  batch: field.count('Messages taken at once; default 100, at most 1,000.'),
  timeout_ms: field.count('How long one take waits; default 1000, at most 5000.'),
  workers: field.count('So many take at the same time in each process; default 1, at most 32.'),
});

const LIMITS: SchemaShape = shape('`limits`', 'error', {
  max_in_flight: field.count('Messages in hand at a time.'),
  max_dispatch_per_sec: field.count('Executions started in a second.'),
});

/** What every source has; its own keys are added. */
export const SPEC: SchemaShape['fields'] = {
  source: field.required(text('Where messages come from.')),
  mode: field.keyword(['pull', 'push'], 'Whether they are taken, or sent to the ingress.'),
  activation: field.keyword(['continuous', 'scheduled'], '`scheduled` is accepted as `continuous`.'),
  auth: text('The credential for the source.'),
  runtime: field.nestedField(() => RUNTIME, 'How messages are taken.'),
  ingress: field.nestedField(() => INGRESS, 'Where they are sent.'),
  dispatch: field.required(field.nestedField(() => DISPATCH, 'What a message starts.')),
  headers: field.nestedField(() => HEADERS, 'What headers say.'),
  dedup: field.nestedField(
    () =>
      shape('`dedup`', 'error', {
        enabled: field.boolean('Accepted: a key starts one execution in any case.'),
        window_secs: field.count('How long a key is remembered; default and most 7 days.'),
      }),
    'How long a key is remembered.',
  ),
  limits: field.nestedField(() => LIMITS, 'How much at a time.'),
  dead_letters: field.nestedField(
    () => shape('`dead_letters`', 'error', { keep: field.limitField('How long; default 14d.') }),
    'Messages that could not be started.',
  ),
  spool: field.any('Accepted.', {
    placeholder: 'messages wait in their source, and are acknowledged when their execution exists',
  }),
};

export const SUBSCRIPTION: SchemaShape = shape('a subscription', 'open', {
  metadata: field.required(field.anyMappingField('Name and path.')),
  spec: field.required(field.anyMappingField('Source and dispatch.')),
});
