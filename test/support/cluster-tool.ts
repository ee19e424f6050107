/** The kind `container` against a Kubernetes API of its own for each test of a file. */
import { container as tool } from '../../activities/kinds/container/run';
import { type JsonObject, type Outcome } from '../../src/language/plan';
import { FakeCluster } from './fake-cluster';
import { context, run, type TestContext } from './tool-call';

export interface UsedCluster {
  readonly cluster: FakeCluster;
  /** With the credential `k8s` of the cluster. */
  context(): TestContext;
  /** Runs busybox there, unless `config` says otherwise. */
  run(config: JsonObject, ctx?: TestContext, more?: Parameters<typeof run>[2]): Promise<Outcome>;
  /** What was asked to be made. */
  posted(what?: 'jobs' | 'configmaps'): JsonObject[];
}

/** Called once in a test file: starts and stops the cluster. */
export function useCluster(): UsedCluster {
  let cluster: FakeCluster;
  beforeAll(async () => {
    // The client is some 800 modules: loaded once, before a test waits for it.
    await import('@kubernetes/client-node');
  });
  beforeEach(async () => {
    cluster = await FakeCluster.start();
  });
  afterEach(() => cluster.stop());
  const here = (): TestContext =>
    context({ k8s: { type: 'kubernetes', data: { server: cluster.url, token: 'of-k8s' } } });
  return {
    get cluster() {
      return cluster;
    },
    context: here,
    run: (config, ctx = here(), more = {}) =>
      run(tool, { image: 'busybox:1', runtime: 'kubernetes', auth: 'k8s', ...config }, more, ctx),
    posted: (what = 'jobs') =>
      cluster.requests
        .filter(({ route }) => route === `POST ${what}`)
        .map(({ body }) => JSON.parse(body) as JsonObject),
  };
}
