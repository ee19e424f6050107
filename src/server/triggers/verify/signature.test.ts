/** Signatures of senders: the examples of their own documentation, and what must not pass. */
import { createHmac } from 'node:crypto';
import { compileTrigger } from '../../../language/dsl';
import { hasCode } from '../../../language/errors';
import { type VerifyPlan } from '../../../language/plan';
import { verifyRequest } from './signature';

const planOf = (verify: string): VerifyPlan => {
  const text = `kind: Subscription\nmetadata: {path: s}\nspec: {source: webhook, mode: push, dispatch: {playbook: a}, ingress: {gateway_path: /ingress/a, verify: ${verify}}}`;
  const { trigger, diagnostics } = compileTrigger(text);
  expect(diagnostics).toEqual([]);
  return trigger!.ingress!.verify;
};
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at?: number;
}
/** `right`, or the reason. */
const verdict = (
  verify: string,
  credential: Record<string, string>,
  { headers, body, at = 0 }: Sent,
): string => {
  const request = { header: (name: string) => headers[name], bytes: Buffer.from(body), now: at * 1000 };
  try {
    verifyRequest(planOf(verify), request, credential);
    return 'right';
  } catch (error) {
    if (!hasCode(error, 'INGRESS_REJECTED')) throw error;
    return String(error.details['reason']);
  }
};

// docs.github.com: validating webhook deliveries
const GITHUB = {
  headers: {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  body: 'Hello, World!',
};
const GITHUB_SECRET = { secret: "It's a Secret to Everybody" };
// api.slack.com: verifying requests from Slack
const SLACK = {
  headers: {
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    'x-slack-request-timestamp': '1531420618',
  },
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  at: 1531420618,
};
const SLACK_SECRET = { value: '8f742231b10e8888abcd99yyyzzz85a5' };
// docs.svix.com, standardwebhooks.com
const STANDARD = {
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature':
      'v1,AAAA v1,AAhM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
  at: 1614265330,
};
const hex = (secret: string, text: string, algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(text).digest('hex');
const STRIPE = {
  headers: { 'stripe-signature': `t=1000,v1=${hex('old', '1000.{}')},v0=x,v1=${hex('whsec_k', '1000.{}')}` },
  body: '{}',
  at: 1100,
};

test.each([
  ['{type: github, secret: k}', GITHUB_SECRET, GITHUB],
  ['{type: hmac_sha256, header: X-Hub-Signature-256, secret: k}', GITHUB_SECRET, GITHUB],
  ['{type: slack, secret: k}', SLACK_SECRET, SLACK],
  ['{type: stripe, secret: k}', { key: 'whsec_k' }, STRIPE],
  [
    '{type: hmac, header: x-sig, algorithm: sha1, encoding: base64, secret: k}',
    { token: 's' },
    { headers: { 'x-sig': createHmac('sha1', 's').update('b').digest('base64') }, body: 'b' },
  ],
  [
    '{type: hmac_sha256, header: x, secret: k}',
    { secret: 's' },
    { headers: { x: hex('s', 'b').toUpperCase() }, body: 'b' },
  ],
  [
    '{type: hmac, header: x-zm-signature, prefix: v0=, signed: "v0:{timestamp}:{body}", timestamp_header: x-zm-request-timestamp, secret: k}',
    { secret: 's' },
    {
      headers: { 'x-zm-signature': `v0=${hex('s', 'v0:50:b')}`, 'x-zm-request-timestamp': '50' },
      body: 'b',
      at: 60,
    },
  ],
  ['{type: bearer, secret: k}', { token: 'abc' }, { headers: { authorization: 'Bearer abc' }, body: '' }],
  [
    '{type: bearer, header: X-Gitlab-Token, secret: k}',
    { token: 'abc' },
    { headers: { 'x-gitlab-token': 'abc' }, body: '' },
  ],
  [
    '{type: basic, secret: k}',
    { username: 'u', password: 'p:q' },
    { headers: { authorization: `Basic ${Buffer.from('u:p:q').toString('base64')}` }, body: '' },
  ],
])('%s', (verify, secret, sent) => {
  expect(verdict(verify, secret as Record<string, string>, sent)).toBe('right');
});

test('Standard Webhooks: one of several signatures, with the key in base64', () => {
  const secret = { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
  expect(verdict('{type: standard, secret: k}', secret, STANDARD)).toBe('right');
  const other = { ...STANDARD, headers: { ...STANDARD.headers, 'webhook-id': 'msg_other' } };
  expect(verdict('{type: standard, secret: k}', secret, other)).toBe('bad_signature');
});

test.each([
  ['{type: github, secret: k}', GITHUB_SECRET, { ...GITHUB, body: 'Hello, World?' }, 'bad_signature'],
  ['{type: github, secret: k}', { secret: 'other' }, GITHUB, 'bad_signature'],
  ['{type: github, secret: k}', GITHUB_SECRET, { headers: {}, body: '' }, 'missing_signature'],
  [
    '{type: github, secret: k}',
    GITHUB_SECRET,
    { headers: { 'x-hub-signature-256': 'sha256=' }, body: '' },
    'bad_signature',
  ],
  ['{type: github, secret: k}', {}, GITHUB, 'misconfigured'],
  // Of no key at all, everybody knows the signatures.
  ['{type: standard, secret: k}', { secret: 'whsec_' }, STANDARD, 'misconfigured'],
  ['{type: slack, secret: k}', SLACK_SECRET, { ...SLACK, at: SLACK.at + 301 }, 'stale_timestamp'],
  ['{type: slack, secret: k}', SLACK_SECRET, { ...SLACK, at: SLACK.at - 301 }, 'stale_timestamp'],
  ['{type: slack, secret: k, tolerance: 1h}', SLACK_SECRET, { ...SLACK, at: SLACK.at + 301 }, 'right'],
  [
    '{type: slack, secret: k}',
    SLACK_SECRET,
    { ...SLACK, headers: { ...SLACK.headers, 'x-slack-request-timestamp': '1531420619' } },
    'bad_signature',
  ],
  [
    '{type: slack, secret: k}',
    SLACK_SECRET,
    { ...SLACK, headers: { 'x-slack-signature': 'v0=00' } },
    'missing_timestamp',
  ],
  ['{type: stripe, secret: k}', { key: 'whsec_k' }, { ...STRIPE, at: 1301 }, 'stale_timestamp'],
  ['{type: stripe, secret: k}', { key: 'another' }, STRIPE, 'bad_signature'],
  [
    '{type: bearer, secret: k}',
    { token: 'abc' },
    { headers: { authorization: 'Bearer abd' }, body: '' },
    'bad_token',
  ],
  ['{type: bearer, secret: k}', { token: 'abc' }, { headers: {}, body: '' }, 'missing_token'],
  [
    '{type: basic, secret: k}',
    { username: 'u', password: 'p' },
    { headers: { authorization: `Basic ${Buffer.from('u:x').toString('base64')}` }, body: '' },
    'bad_token',
  ],
  [
    '{type: basic, secret: k}',
    { username: 'u' },
    { headers: { authorization: 'Basic dTo=' }, body: '' },
    'misconfigured',
  ],
])('%s %j', (verify, secret, sent, expected) => {
  expect(verdict(verify, secret as unknown as Record<string, string>, sent)).toBe(expected);
});

test('a header of many spaces is refused at once', () => {
  const header = `t=1${' '.repeat(400_000)}x`;
  expect(
    verdict('{type: stripe, secret: k}', { key: 'k' }, { headers: { 'stripe-signature': header }, body: '' }),
  ).toBe('missing_timestamp');
});
