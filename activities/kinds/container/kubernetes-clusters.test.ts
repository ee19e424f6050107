/** Which cluster a container of runtime `kubernetes` runs in, and as whom. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { useCluster } from '../../../test/support/cluster-tool';
import { FakeCluster } from '../../../test/support/fake-cluster';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject } from '../../../src/language/plan';
import { container as tool } from './run';

const TLS = path.resolve(__dirname, '../../../test/fixtures/tls');
const pem = (name: string): string => fs.readFileSync(path.join(TLS, name), 'utf8');
const k8s = useCluster();

describe('which cluster', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-kube-test-'));
  const before = { ...process.env };
  beforeEach(() => {
    process.env['HOME'] = folder;
    delete process.env['KUBECONFIG'];
    delete process.env['KUBERNETES_SERVICE_HOST'];
  });
  afterEach(() => {
    for (const name of ['HOME', 'KUBECONFIG', 'KUBERNETES_SERVICE_HOST']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  const kubeconfig = (
    server: string,
    user: object = { token: 'of-file' },
    more: object = {},
  ): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true, ...more } }],
    users: [{ name: 'u', user: user as JsonObject }],
    contexts: [
      { name: 'main', context: { cluster: 'c', user: 'u', namespace: 'of-context' } },
      { name: 'spare', context: { cluster: 'c', user: 'u', namespace: 'spare' } },
    ],
    'current-context': 'main',
  });
  const withKubeconfig = (data: JsonObject) =>
    run(tool, { image: 'x', runtime: 'kubernetes', auth: 'k' }, {}, context({ k: { data } }));
  const seen = () => ({
    authorization: k8s.cluster.requests[0]?.authorization,
    namespace: /namespaces\/([^/]+)/.exec(k8s.cluster.requests[0]?.url ?? '')?.[1],
  });

  test('that of KUBECONFIG, with the namespace of its context', async () => {
    process.env['KUBECONFIG'] = path.join(folder, 'config.json');
    fs.writeFileSync(process.env['KUBECONFIG'], JSON.stringify(kubeconfig(k8s.cluster.url)));
    expect((await run(tool, { image: 'x', runtime: 'kubernetes' })).status).toBe('ok');
    expect(seen()).toEqual({ authorization: 'Bearer of-file', namespace: 'of-context' });
  });

  test('that of ~/.kube/config', async () => {
    fs.mkdirSync(path.join(folder, '.kube'), { recursive: true });
    const file = path.join(folder, '.kube', 'config');
    fs.writeFileSync(file, JSON.stringify(kubeconfig(k8s.cluster.url)));
    expect((await run(tool, { image: 'x', runtime: 'kubernetes' })).status).toBe('ok');
    fs.rmSync(file);
  });

  test.each<[string, (server: string) => JsonObject, object]>([
    [
      'a kubeconfig',
      (server) => ({ kubeconfig: kubeconfig(server) }),
      { authorization: 'Bearer of-file', namespace: 'of-context' },
    ],
    [
      'a kubeconfig as text, and another context',
      (server) => ({ kubeconfig: JSON.stringify(kubeconfig(server)), context: 'spare' }),
      { authorization: 'Bearer of-file', namespace: 'spare' },
    ],
    [
      'a user and a password, and a namespace',
      (server) => ({ server, username: 'u', password: 'p', namespace: 'mine' }),
      { authorization: `Basic ${Buffer.from('u:p').toString('base64')}`, namespace: 'mine' },
    ],
  ])('that of a credential: %s', async (_what, data, expected) => {
    expect((await withKubeconfig(data(k8s.cluster.url))).status).toBe('ok');
    expect(seen()).toEqual(expected);
  });

  test('over TLS with a CA of its own; without it the server is not trusted', async () => {
    const secure = await FakeCluster.start({ cert: pem('server.pem'), key: pem('server.key') });
    try {
      expect((await withKubeconfig({ server: secure.url, token: 't', ca: pem('ca.pem') })).status).toBe('ok');
      expect(secure.routes(/log$/)).toHaveLength(1);
      const { error } = await withKubeconfig({ server: secure.url, token: 't' });
      expect(error).toMatchObject({ kind: 'connection', code: 'ENGINE_UNTRUSTED', retryable: false });
      expect((await withKubeconfig({ server: secure.url, token: 't', verify: false })).status).toBe('ok');
    } finally {
      await secure.stop();
    }
  });

  test.each<[string, (server: string) => JsonObject, string]>([
    ['nothing of use', () => ({ token: 't' }), 'it has neither kubeconfig nor server'],
    ['no kubeconfig at all', () => ({ kubeconfig: ': [' }), 'its kubeconfig cannot be read'],
    [
      'an unknown context',
      (server) => ({ kubeconfig: kubeconfig(server), context: 'nowhere' }),
      'its current context names no cluster',
    ],
    [
      'a program to log in with',
      (server) => ({ kubeconfig: kubeconfig(server, { exec: { command: 'touch', args: ['/tmp/x'] } }) }),
      'it requires a program or a provider to log in with',
    ],
    [
      'http by mistake',
      () => ({ kubeconfig: kubeconfig('http://127.0.0.1:1', {}, { 'insecure-skip-tls-verify': false }) }),
      'its server is http',
    ],
  ])('a credential with %s', async (_what, data, why) => {
    const { error } = await withKubeconfig(data(k8s.cluster.url));
    expect(error).toMatchObject({ kind: 'auth', code: 'CREDENTIAL_INVALID', retryable: false });
    expect(error!.message).toContain(`credential 'k' cannot be used: ${why}`);
    expect(k8s.cluster.requests).toEqual([]);
  });

  test('none is known; a file that is not there', async () => {
    expect((await run(tool, { image: 'x', runtime: 'kubernetes' })).error).toMatchObject({
      kind: 'validation',
      code: 'CLUSTER_UNKNOWN',
    });
    process.env['KUBECONFIG'] = path.join(folder, 'nowhere');
    const { error } = await run(tool, { image: 'x', runtime: 'kubernetes' });
    expect(error).toMatchObject({ kind: 'auth', code: 'CREDENTIAL_INVALID' });
    expect(error!.message).toContain('the kubeconfig of this worker cannot be used');
  });
});
