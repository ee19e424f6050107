/** The list of metadata addresses at everything that connects to what a playbook or a credential names. */
import dns from 'node:dns/promises';
import { gcsClient } from '../google-storage/client';
import { entryKind } from '../keychain';
import { readFromS3 } from '../scripts/objects';
import { fetchSecret } from '../secrets/fetch';
import { networkRules } from '../sandbox/network-rules';
import { context } from '../../../test/support/tool-call';
import { checkEndpoint, isDenied, METADATA_IPV4 } from './metadata';

const ENDPOINT = 'http://168.63.129.16';
const denied = { code: 'ADDRESS_DENIED', outcome: { error: { kind: 'validation', retryable: false } } };
const signal = new AbortController().signal;

afterEach(() => {
  delete process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'];
  jest.restoreAllMocks();
});

const secret = async (provider: string, data: object): Promise<unknown> => {
  const { credentials } = context({ there: { data: { ...data } as never } });
  return fetchSecret({ provider, secret: 's', auth: 'there' } as never, {
    credentials,
    signal,
    execution_id: '1',
  });
};

test.each<[string, () => Promise<unknown>]>([
  ['gcs', () => gcsClient({ name: 'c', data: { endpoint: ENDPOINT } })],
  [
    's3',
    () =>
      readFromS3({
        bucket: 'b',
        name: 'n',
        credential: { name: 'c', data: { endpoint: ENDPOINT, access_key_id: 'a', secret_access_key: 's' } },
        maxBytes: 9,
        signal,
      }),
  ],
  ['vault', () => secret('vault', { address: ENDPOINT, token: 't' })],
  [
    'aws',
    () => secret('aws', { endpoint: ENDPOINT, region: 'r', access_key_id: 'a', secret_access_key: 's' }),
  ],
  ['google', () => secret('google', { endpoint: '168.63.129.16:80', project: 'p' })],
  [
    'oauth2',
    () =>
      entryKind('oauth2')({
        entry: {
          name: 'e',
          kind: 'oauth2',
          config: { endpoint: `${ENDPOINT}/token`, data: { a: 'b' } },
        } as never,
        credentials: context().credentials,
        signal,
        now: Date.now(),
      }),
  ],
])('an endpoint of %s that is one is refused before anything is sent', async (_, connect) => {
  await expect(connect()).rejects.toMatchObject(denied);
});

test('names are denied for what they resolve to, and the operator may allow all', async () => {
  const resolved = jest.spyOn(dns, 'lookup');
  resolved.mockImplementation((async () => [
    { address: '192.0.2.1', family: 4 },
    { address: 'fd00:ec2::23', family: 6 },
  ]) as never);
  await expect(checkEndpoint('gcs', 'https://inside.test/')).rejects.toMatchObject(denied);
  process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'] = '1';
  await expect(checkEndpoint('gcs', 'https://inside.test/')).resolves.toBeUndefined();
});

test('the filter of sandboxes has the whole list, and nothing near an address is denied', () => {
  const rules = networkRules([]);
  for (const network of METADATA_IPV4) expect(rules).toContain(`ip daddr ${network} reject`);
  const near = [
    '169.253.255.255',
    '169.255.0.0',
    '100.100.100.201',
    '168.63.129.17',
    '192.0.0.191',
    '10.0.0.1',
  ];
  const near6 = [
    'fd00:ec3::1',
    'fd20:cf::254',
    '64:ff9b::a00:1',
    '2002:a83f:8111::1',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b:1:a00:0:100::',
  ];
  for (const address of [...near, ...near6]) expect([address, isDenied(address)]).toEqual([address, false]);
  for (const address of ['fe80::1%eth0', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:a83f:81:1000::'])
    expect([address, isDenied(address)]).toEqual([address, true]);
});
