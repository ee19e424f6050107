/** Tokens of Pub/Sub, signed by an issuer whose keys are served here. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { compileTrigger } from '../../../language/dsl';
import { type VerifyPlan } from '../../../language/plan';
import { verifyToken } from './token';

const server = http.createServer();
let plan: VerifyPlan;
let token: (claims?: object, by?: 'own' | 'other') => Promise<string>;

beforeAll(async () => {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const [own, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const keys = [
    { ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256' },
    { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), kid: 'next', alg: 'RS256' },
  ];
  server.on('request', (_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  token = async (claims = {}, by = 'own') =>
    await new SignJWT({
      iss: 'https://accounts.google.com',
      aud: 'https://noetl.acme.com',
      email: 'push@acme.iam.gserviceaccount.com',
      email_verified: true,
      exp: Math.floor(Date.now() / 1000) + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(by === 'own' ? own.privateKey : other.privateKey);
  plan = planAt((server.address() as AddressInfo).port);
});
afterAll(() => void server.close());

function planAt(port: number): VerifyPlan {
  const { trigger, diagnostics } = compileTrigger(`apiVersion: noetl.io/v1
kind: Subscription
metadata: {path: s}
spec:
  source: pubsub
  mode: push
  ingress:
    gateway_path: /ingress/s
    verify:
      type: pubsub_oidc
      audience: https://noetl.acme.com
      service_account: push@acme.iam.gserviceaccount.com
      keys_url: http://127.0.0.1:${port}/certs
  dispatch: {playbook: p}
`);
  expect(diagnostics).toEqual([]);
  return trigger!.ingress!.verify;
}

const refused = async (authorization: string | undefined, of = plan): Promise<string> =>
  await verifyToken(of, authorization).then(
    () => 'taken',
    (error: { code: string; details: { reason?: string } }) => error.details.reason ?? error.code,
  );

test('the token of this service account, for this audience, by this issuer, that has not expired', async () => {
  expect(await refused(`Bearer ${await token()}`)).toBe('taken');
  expect(await refused(`bearer ${await token({ iss: 'accounts.google.com' })}`)).toBe('taken');
  expect(await refused(undefined)).toBe('missing_token');
  expect(await refused('Basic x')).toBe('missing_token');
  for (const wrong of [
    { aud: 'https://other' },
    { iss: 'https://evil' },
    { email: 'other@acme.iam.gserviceaccount.com' },
    { email_verified: false },
    { exp: Math.floor(Date.now() / 1000) - 60 },
    { exp: undefined },
  ])
    expect([wrong, await refused(`Bearer ${await token(wrong)}`)]).toEqual([wrong, 'bad_token']);
  const good = await token();
  const [head, claims, signature] = good.split('.');
  const [unnamed, none] = ['{"alg":"RS256"}', '{"alg":"none"}'].map((one) =>
    Buffer.from(one).toString('base64url'),
  );
  for (const forged of [
    await token({}, 'other'),
    `${head}.${claims}.`,
    `${none}.${claims}.`,
    // Google has several keys at a time.
    `${unnamed}.${claims}.${signature}`,
    'x',
    `${good}x`,
  ])
    expect(await refused(`Bearer ${forged}`)).toBe('bad_token');
});

test('while the keys cannot be read nobody is refused for it', async () => {
  expect(await refused(`Bearer ${await token()}`, planAt(1))).toBe('KEYS_UNREACHABLE');
});
