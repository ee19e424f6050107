import { deniedBy, resolved, networkRules } from './network-rules';

test('services of the worker are denied by host and port, as its settings name them', () => {
  const settings = {
    TEMPORAL_ADDRESS: 'temporal:7233',
    DATABASE_URL: 'postgres://u:p@db/noetl?sslmode=require',
    NOETL_FACADE_URL: 'https://noetl.example.com/base',
    NOETL_STORAGE: 's3://bucket/x?endpoint=http%3A%2F%2Fminio%3A9000,postgres://u:p@old:5433/blobs',
    VAULT_ADDR: 'http://10.0.0.9:8200',
  };
  expect(deniedBy(settings)).toEqual([
    { host: 'temporal', port: 7233 },
    { host: 'db', port: 5432 },
    { host: 'noetl.example.com', port: 443 },
    { host: 'minio', port: 9000 },
    { host: 'old', port: 5433 },
    { host: '10.0.0.9', port: 8200 },
  ]);
  expect(deniedBy({ NOETL_STORAGE: 'file:///srv/blobs' })).toEqual([]);
  expect(deniedBy({ NOETL_STORAGE: 'none' })).toEqual([]);
});

test('the operator denies hosts, ports and ranges', () => {
  expect(deniedBy({ NOETL_SANDBOX_DENY: 'redis:6379, 10.1.0.0/16 ,admin.internal,192.0.2.1' })).toEqual([
    { host: 'redis', port: 6379 },
    { host: '10.1.0.0/16' },
    { host: 'admin.internal' },
    { host: '192.0.2.1' },
  ]);
});

test.each(['10.1.0.0/33', 'db/16', 'a b', 'x:99999', '10.0.0.1; accept'])('%j is refused', (text) => {
  expect(() => deniedBy({ NOETL_SANDBOX_DENY: text })).toThrow(
    expect.objectContaining({ code: 'SANDBOX_SETTING' }) as Error,
  );
});

test('names are resolved, and stay denied while their resolver does not answer', async () => {
  const denied = [{ host: 'db', port: 5432 }, { host: '10.1.0.0/16' }];
  const found = [{ host: '10.2.0.1', port: 5432 }, { host: '10.2.0.2', port: 5432 }, { host: '10.1.0.0/16' }];
  expect(await resolved(denied, () => Promise.resolve(['10.2.0.1', '10.2.0.2']))).toEqual(found);
  expect(await resolved(denied, () => Promise.reject(new Error('SERVFAIL')))).toEqual(found);
  expect(await resolved([{ host: 'never' }], () => Promise.reject(new Error('NXDOMAIN')))).toEqual([]);
});

test('the resolver is the only thing allowed beside the network, and first', () => {
  const rules = networkRules([{ host: '10.1.0.0/16' }, { host: '10.2.0.1', port: 5432 }]).split('\n');
  const accepting = rules.filter((line) => line.includes(' accept') && !line.includes('policy'));
  expect(accepting).toHaveLength(2);
  const at = (text: string): number => rules.findIndex((line) => line.includes(text));
  expect(at('10.0.2.3')).toBeLessThan(at('10.0.2.0/24 reject'));
  expect(rules).toContain('    ip daddr 10.1.0.0/16 reject');
  expect(rules).toContain('    ip daddr 10.2.0.1 meta l4proto { tcp, udp } th dport 5432 reject');
});
