import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { configuredAddress, configuredUi, connect, connectionOptions, knownUi, targetOf } from '.';

describe('the server that the environment names', () => {
  test.each([
    ['temporal.example.com', 'temporal.example.com:7233'],
    ['localhost:7000', 'localhost:7000'],
    ['[::1]:7233', '[::1]:7233'],
  ])('%s', (text, address) => expect(configuredAddress({ TEMPORAL_ADDRESS: text })).toBe(address));

  test.each(['http://x:7233', 'x:0', 'x:99999', 'a b'])('%s is refused', (text) => {
    expect(() => configuredAddress({ TEMPORAL_ADDRESS: text })).toThrow('TEMPORAL_ADDRESS must be host:port');
  });

  test('its UI is named, or guessed on this machine only', () => {
    expect(configuredUi('x:7233', { TEMPORAL_UI_ADDRESS: 'https://ui/' })).toBe('https://ui');
    expect(configuredUi('localhost:7233', {})).toBe('http://localhost:8233');
    expect(configuredUi('x:7233', {})).toBeUndefined();
  });

  test('a guess is told only if something answers there', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await knownUi(`127.0.0.1:${port - 1000}`, {})).toBe(`http://127.0.0.1:${port}`);
    server.close();
    await once(server, 'close');
    expect(await knownUi(`127.0.0.1:${port - 1000}`, {})).toBeUndefined();
    expect(await knownUi('x:1', { TEMPORAL_UI_ADDRESS: 'https://ui' })).toBe('https://ui');
  });

  test('an API key switches TLS on, TEMPORAL_TLS=false off', () => {
    const env = { TEMPORAL_ADDRESS: 'x', TEMPORAL_API_KEY: 'k' };
    expect(connectionOptions(targetOf(undefined, env))).toEqual({
      address: 'x:7233',
      apiKey: 'k',
      tls: true,
    });
    expect(targetOf(undefined, { ...env, TEMPORAL_TLS: 'false' }).tls).toBe(false);
  });

  test('certificates come as text or as files, and only in pairs', () => {
    const env = {
      TEMPORAL_ADDRESS: 'x',
      TEMPORAL_TLS_CERT_DATA: 'C',
      TEMPORAL_TLS_KEY_DATA: 'K',
      TEMPORAL_TLS_SERVER_NAME: 'n',
    };
    expect(targetOf(undefined, env).tls).toEqual({
      serverNameOverride: 'n',
      clientCertPair: { crt: Buffer.from('C'), key: Buffer.from('K') },
    });
    expect(() => targetOf(undefined, { ...env, TEMPORAL_TLS_KEY_DATA: undefined })).toThrow('needs its key');
    expect(() => targetOf(undefined, { TEMPORAL_ADDRESS: 'x', TEMPORAL_TLS_CA_PATH: '/no/such' })).toThrow(
      'cannot be read',
    );
  });

  test('a server of ours wins and is plain', () => {
    expect(
      targetOf('127.0.0.1:1', { TEMPORAL_ADDRESS: 'x', TEMPORAL_API_KEY: 'k', TEMPORAL_NAMESPACE: 'n' }),
    ).toEqual({
      address: '127.0.0.1:1',
      namespace: 'n',
    });
  });
});

test('a server that is not there is named, with what to do', async () => {
  await expect(connect({ address: '127.0.0.1:1', namespace: 'default' }, 300)).rejects.toMatchObject({
    code: 'TEMPORAL_UNREACHABLE',
    message: expect.stringContaining('127.0.0.1:1') as string,
    hint: [expect.stringContaining('TEMPORAL_ADDRESS')],
  });
});
