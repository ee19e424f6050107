/** How Jobs of Kubernetes end other than well, and APIs that refuse: each an error with its code. */
import { useCluster } from '../../../test/support/cluster-tool';
import { type FakeCluster, pods, refusal } from '../../../test/support/fake-cluster';
import { call, context } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome, type OutcomeError } from '../../../src/language/plan';
import { withDeadline } from '../../framework/tool/deadline';
import { succeeded } from '../../framework/tool/outcome';
import { containerIdentity } from './identity';
import { clusterOf } from './kubernetes/cluster';
import { kubernetesFields } from './kubernetes/fields';
import { runInKubernetes } from './kubernetes/run';
import { containerRequestOf } from './request';

const k8s = useCluster();

type Expected = Partial<OutcomeError>;

/** With little patience; the same task otherwise. */
function quick(config: JsonObject, patience = 300): Promise<Outcome> {
  const ctx = k8s.context();
  const task = call('container', { image: 'busybox:1', ...config });
  return withDeadline(task, ctx.signal, async (deadline) => {
    const connected = await clusterOf(await ctx.credentials.resolve('k8s', { execution_id: '1' }));
    const pace = { look: 50, patience };
    const fields = kubernetesFields(task);
    const end = await runInKubernetes(
      containerRequestOf(task),
      fields,
      containerIdentity(task),
      deadline,
      ctx,
      connected,
      pace,
    );
    return succeeded({ stdout: end.stdout }, { meta: { ...(end.logLost && { log_lost: end.logLost }) } });
  }).catch((error: { outcome: Outcome }) => error.outcome);
}

test('a log that cannot be had does not undo the work: meta says what is missing', async () => {
  k8s.cluster.answers['GET pods/*/log'] = () => refusal(500, 'no such file: the log was rotated away');
  const { status, meta } = await quick({});
  expect({ status, meta }).toMatchObject({
    status: 'ok',
    meta: { log_lost: expect.stringContaining('rotated away') as string },
  });
});

describe('ends', () => {
  const evicted = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
  const taken = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'preempted',
  };
  test.each<[string, FakeCluster['scene'], Expected, RegExp]>([
    [
      'an exit code',
      [pods.ended(3)],
      { kind: 'exception', code: 'EXIT_3', retryable: false },
      /^the container of busybox:1 ended with exit code 3: why$/,
    ],
    [
      'out of memory',
      [pods.ended(137, 'OOMKilled')],
      { kind: 'exception', code: 'OUT_OF_MEMORY', retryable: false },
      /ran out of memory \(limits\.memory_mb: 16\)/,
    ],
    [
      'a program that is not there',
      [pods.ended(128, 'StartError')],
      { kind: 'validation', code: 'CONTAINER_START', retryable: false },
      /cannot be started/,
    ],
    [
      'an evicted pod',
      [pods.running(), { phase: 'Failed', ...evicted }],
      { kind: 'connection', code: 'EVICTED', retryable: true },
      /Evicted: The node was low on resource: memory/,
    ],
    [
      'a preempted pod',
      [pods.running(), pods.ended(143, 'Error', { conditions: [taken] })],
      { kind: 'connection', code: 'EVICTED', retryable: true },
      /PreemptionByScheduler: preempted/,
    ],
    [
      'a node that is gone',
      [pods.ended(137, 'ContainerStatusUnknown')],
      { kind: 'connection', code: 'CONTAINER_LOST', retryable: true },
      /its node does not answer/,
    ],
    [
      'an image that is not there',
      [pods.waiting('ErrImagePull', 'failed to resolve reference "x": x: not found')],
      { kind: 'not_found', code: 'IMAGE_NOT_FOUND', retryable: false },
      /x: not found/,
    ],
    [
      'an image that a back-off names only',
      [
        pods.waiting('ErrImagePull', 'dial tcp: i/o timeout'),
        pods.waiting('ImagePullBackOff', 'Back-off pulling image "x"'),
      ],
      { kind: 'connection', code: 'IMAGE_PULL', retryable: true },
      /Back-off pulling image "x"/,
    ],
    [
      'a registry that refuses us',
      [pods.waiting('ImagePullBackOff', 'pull access denied, unauthorized')],
      { kind: 'auth', code: 'IMAGE_DENIED', retryable: false },
      /unauthorized/,
    ],
    [
      'an image that makes no sense',
      [pods.waiting('InvalidImageName', 'couldn\'t parse image name "X!"')],
      { kind: 'not_found', code: 'IMAGE_NOT_FOUND', retryable: false },
      /InvalidImageName/,
    ],
    [
      'a secret that is not there',
      [pods.waiting('CreateContainerConfigError', 'secret "s" not found')],
      { kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
      /secret "s" not found/,
    ],
  ])('%s', async (_what, scene, expected, message) => {
    k8s.cluster.scene = scene;
    k8s.cluster.stdout = 'first\nwhy\n';
    const { error } = await k8s.run({ limits: { memory_mb: 16 } });
    expect(error).toMatchObject(expected);
    expect(error!.message).toMatch(message);
    expect(k8s.cluster.jobs.size).toBe(0);
  });

  test('the cluster’s own deadline is a timeout', async () => {
    k8s.cluster.scene = [pods.running(), []];
    k8s.cluster.conditions = [
      { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' },
    ];
    expect((await k8s.run({ active_deadline_seconds: 1 })).error).toMatchObject({
      kind: 'timeout',
      code: 'TIMEOUT',
    });
  });

  test('a Job that failed without a pod, and one that somebody removed, are lost', async () => {
    k8s.cluster.scene = [[]];
    k8s.cluster.conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }];
    expect((await k8s.run({})).error).toMatchObject({ code: 'CONTAINER_LOST', retryable: true });
    k8s.cluster.conditions = [];
    k8s.cluster.answers['GET jobs/*'] = () => refusal(404, 'jobs.batch "x" not found');
    expect((await k8s.run({})).error).toMatchObject({ code: 'CONTAINER_LOST', retryable: true });
  });

  test.each<[string, string, Expected]>([
    [
      'a quota',
      'pods "noetl-x" is forbidden: exceeded quota: team, requested: cpu=1',
      { kind: 'rate_limit', code: 'QUOTA_EXCEEDED', retryable: true },
    ],
    [
      'a service account that is not there',
      'error looking up service account n/w: serviceaccount "w" not found',
      { kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
    ],
  ])('%s keeps pods from being made: an event tells', async (_what, message, expected) => {
    k8s.cluster.scene = [[]];
    k8s.cluster.events = [{ reason: 'SuccessfulCreate' }, { reason: 'FailedCreate', message }];
    const { error } = await k8s.run({});
    expect(error).toMatchObject(expected);
    expect(error!.message).toContain(message);
    expect(k8s.cluster.requests.some(({ url }) => url.includes('involvedObject.name%3Dnoetl-'))).toBe(true);
    expect(k8s.cluster.jobs.size).toBe(0);
  });

  test.each([
    ['a timeout', 'timeout'],
    ['a cancellation', 'cancelled'],
  ])('%s removes the Job', async (_what, kind) => {
    k8s.cluster.scene = [pods.running()];
    const ctx = k8s.context();
    const running = k8s.run({ timeout: kind === 'timeout' ? 1 : 600 }, ctx);
    if (kind === 'cancelled') {
      while (k8s.cluster.routes(/log$/).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      ctx.controller.abort();
    }
    expect((await running).error).toMatchObject({ kind });
    expect(k8s.cluster.jobs.size).toBe(0);
    expect(k8s.cluster.requests.at(-1)!.url).toContain('propagationPolicy=Background');
  });

  test('a timeout says what kept it from starting; events that may not be read keep nobody', async () => {
    k8s.cluster.scene = [[], pods.pending('no node has a gpu')];
    k8s.cluster.answers['GET events'] = () => refusal(403, 'events is forbidden');
    const { error } = await k8s.run({ timeout: 1 });
    expect(error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
    expect(error!.message).toMatch(/: it waited for Unschedulable \(no node has a gpu\)$/);
  });

  test('`cleanup: false` leaves a Job that has ended, and no other', async () => {
    await k8s.run({ cleanup: false });
    expect(k8s.cluster.jobs.size).toBe(1);
    k8s.cluster.jobs.clear();
    k8s.cluster.scene = [pods.running()];
    await k8s.run({ cleanup: false, timeout: 0.5 });
    expect(k8s.cluster.jobs.size).toBe(0);
  });
});

describe('an API that refuses', () => {
  test.each<[string, number, string, Expected]>([
    ['POST jobs', 401, 'Unauthorized', { kind: 'auth', code: 'ENGINE_DENIED', retryable: false }],
    [
      'POST jobs',
      403,
      'jobs.batch is forbidden: User "w" cannot create resource "jobs"',
      { kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
    ],
    [
      'POST jobs',
      403,
      'jobs.batch "x" is forbidden: exceeded quota: jobs',
      { kind: 'rate_limit', code: 'QUOTA_EXCEEDED', retryable: true },
    ],
    [
      'POST jobs',
      403,
      'pods "x" is forbidden: violates PodSecurity "restricted:latest"',
      { kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
    ],
    [
      'POST jobs',
      404,
      'namespaces "batch" not found',
      { kind: 'not_found', code: 'NAMESPACE_NOT_FOUND', retryable: false },
    ],
    [
      'POST jobs',
      422,
      'Job.batch "x" is invalid: spec.template.spec.containers[0].image: Required value',
      { kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
    ],
    ['GET jobs', 429, 'too many requests', { kind: 'rate_limit', code: 'ENGINE_BUSY', retryable: true }],
    [
      'GET jobs',
      500,
      'etcdserver: timed out',
      { kind: 'server_error', code: 'ENGINE_ERROR', retryable: true },
    ],
    [
      'GET pods',
      403,
      'pods is forbidden: User "w" cannot list resource "pods"',
      { kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
    ],
    [
      'GET pods/*/log',
      403,
      'pods "x" is forbidden: User "w" cannot get resource "pods/log"',
      { kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
    ],
  ])('%s: %i %s', async (route, status, message, expected) => {
    k8s.cluster.answers[route] = () => refusal(status, message);
    const { error } = await k8s.run({});
    expect(error).toMatchObject({ ...expected, status });
    expect(error!.message).toContain(message);
    expect(k8s.cluster.jobs.size).toBe(0);
  });

  test('one that does not come back is unreachable, and what is not JSON is told of', async () => {
    k8s.cluster.answers['GET jobs/*'] = () => ({ status: 502, json: 'Bad Gateway' });
    const { error } = await quick({});
    expect(error).toMatchObject({ kind: 'server_error', code: 'ENGINE_ERROR', retryable: true });
    expect(error!.message).toContain('Bad Gateway');
  });

  test('one that hangs while the task is cancelled', async () => {
    k8s.cluster.answers['POST jobs'] = () => ({ status: 201, hang: true });
    const ctx = k8s.context();
    const running = k8s.run({}, ctx);
    while (k8s.cluster.routes(/^POST jobs/).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    ctx.controller.abort();
    expect((await running).error).toMatchObject({ kind: 'cancelled' });
  });

  test('one that is not there', async () => {
    const ctx = context({ k8s: { data: { server: 'http://127.0.0.1:1', token: 't' } } });
    expect((await k8s.run({}, ctx)).error).toMatchObject({
      kind: 'connection',
      code: 'ENGINE_UNREACHABLE',
      retryable: true,
      message: 'container: the Kubernetes API at http://127.0.0.1:1 cannot be reached (ECONNREFUSED)',
    });
  });
});
