/** The forms in which senders sign, by their names. */
import { compact, type VerifyPlan } from '../../plan';
import { type Fields } from './fields';

type VerifyForm = Partial<VerifyPlan>;

const STRIPE = '{timestamp}.{body}';
const FORMS: Readonly<Record<string, VerifyForm>> = {
  hmac_sha256: { type: 'hmac', prefix: 'sha256=' },
  hmac: { type: 'hmac' },
  github: {
    type: 'hmac',
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
    idHeader: 'x-github-delivery',
  },
  stripe: { type: 'hmac', header: 'stripe-signature', prefix: 'v1=', signed: STRIPE, timestampHeader: '' },
  slack: {
    type: 'hmac',
    header: 'x-slack-signature',
    prefix: 'v0=',
    signed: 'v0:{timestamp}:{body}',
    timestampHeader: 'x-slack-request-timestamp',
    challenge: true,
  },
  standard: {
    type: 'hmac',
    header: 'webhook-signature',
    encoding: 'base64',
    prefix: 'v1,',
    signed: `{id}.${STRIPE}`,
    timestampHeader: 'webhook-timestamp',
    idHeader: 'webhook-id',
  },
  bearer: { type: 'bearer', header: 'authorization' },
  basic: { type: 'basic', header: 'authorization' },
  pubsub_oidc: {
    type: 'pubsub_oidc',
    header: 'authorization',
    secret: '',
    issuer: 'https://accounts.google.com',
    keysUrl: 'https://www.googleapis.com/oauth2/v3/certs',
  },
};

const DEFAULTS = { algorithm: 'sha256', encoding: 'hex', prefix: '', signed: '{body}', toleranceSecs: 300 };

/** Of each type, what has no default. */
const NEEDED = {
  pubsub_oidc: { audience: 'for whom the token is', service_account: 'whose token it is' },
  others: { secret: 'the name of a credential', header: 'it is needed to verify requests' },
};

export function readVerify(map: Fields): VerifyPlan | undefined {
  const type = map.text('type') ?? '';
  if (!Object.hasOwn(FORMS, type)) return undefined;
  const written = compact({
    header: map.text('header')?.toLowerCase(),
    algorithm: map.text('algorithm'),
    encoding: map.text('encoding'),
    prefix: map.text('prefix'),
    signed: map.text('signed'),
    timestampHeader: map.text('timestamp_header')?.toLowerCase(),
    idHeader: map.text('id_header')?.toLowerCase(),
    secret: map.text('secret'),
    audience: map.text('audience'),
    serviceAccount: map.text('service_account'),
    issuer: map.text('issuer'),
    keysUrl: map.text('keys_url'),
    toleranceSecs: map.seconds('tolerance'),
  }) as VerifyForm;
  const verify = { ...DEFAULTS, ...FORMS[type], ...written } as VerifyPlan;
  const has = { ...verify, service_account: verify.serviceAccount } as Readonly<Record<string, unknown>>;
  for (const [key, what] of Object.entries(type === 'pubsub_oidc' ? NEEDED.pubsub_oidc : NEEDED.others))
    if (!has[key]) map.lacks(`\`verify\` of type ${type} needs \`${key}\`: ${what}`);
  const { signed, timestampHeader, idHeader, keysUrl = 'https:' } = verify;
  for (const [name, header] of Object.entries({ timestamp: timestampHeader, id: idHeader }))
    if (signed.includes(`{${name}}`) && header === undefined)
      map.lacks(`\`signed\` has {${name}}: \`${name}_header\` says where it is`);
  if (!signed.includes('{body}'))
    map.report.add('NT2004', map.node('signed')!, '`signed` has no {body}: anything could be sent');
  if (!/^https:|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(keysUrl))
    map.report.add('NT2004', map.node('keys_url')!, '`keys_url` is https: whoever changes the keys may sign');
  return verify;
}
