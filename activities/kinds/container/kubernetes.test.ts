/** The kind `container` as a Job of Kubernetes, at the level of the API: the official client against a server of ours. */
import { useCluster } from '../../../test/support/cluster-tool';
import { pods, refusal } from '../../../test/support/fake-cluster';
import { call, run } from '../../../test/support/tool-call';
import { type Json, type JsonObject } from '../../../src/language/plan';
import { container as tool } from './run';
import { script } from '../script/run';
import { containerIdentity, LABEL_TASK_RUN, LABEL_WORK } from './identity';

const k8s = useCluster();

test('every field arrives as a Job, which runs, is told of and removed with its pods', async () => {
  k8s.cluster.stdout = '{"n": 1}\n';
  const outcome = await k8s.run(
    {
      command: ['convert'],
      args: ['a b', 5, { x: 1 }],
      env: { MODE: 'fast', N: 3 },
      mounts: ['/data:/in:ro', 'cache:/cache', { target: '/scratch' }],
      limits: { cpus: 0.5, memory_mb: 64 },
      resources: { requests: { cpu: 0.1, memory: '32Mi' } },
      workdir: '/in',
      user: '1000:2000',
      pull: 'always',
      timeout: 100,
      namespace: 'batch',
      service_account: 'loader',
      backoff_limit: 2,
      restart_policy: 'OnFailure',
      ttl_seconds: '1m',
      node_selector: { disk: 'ssd' },
      tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
      volumes: [{ mount_path: '/etc/app', configMap: { name: 'app' }, read_only: true }],
      image_pull_secrets: ['hub'],
    },
    k8s.context(),
    { input: { who: "O'Neil" } },
  );
  const name = containerIdentity(call('container', {})).name;
  expect(outcome).toMatchObject({
    status: 'ok',
    result: { stdout: '{"n": 1}\n', stderr: '', exit_code: 0, data: { n: 1 }, container: name },
    meta: { image: 'busybox:1' },
  });
  const labels = {
    'io.noetl.execution': '287146398761160704',
    'io.noetl.task-run': expect.stringMatching(/^[0-9a-f]{24}$/) as string,
    'io.noetl.work': expect.stringMatching(/^[0-9a-f]{24}$/) as string,
    'app.kubernetes.io/managed-by': 'noetl-temporal',
  };
  expect(k8s.posted()).toEqual([
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, labels },
      spec: {
        backoffLimit: 2,
        activeDeadlineSeconds: 130,
        ttlSecondsAfterFinished: 60,
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: 'OnFailure',
            terminationGracePeriodSeconds: 5,
            serviceAccountName: 'loader',
            nodeSelector: { disk: 'ssd' },
            tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
            imagePullSecrets: [{ name: 'hub' }],
            containers: [
              {
                name: 'main',
                image: 'busybox:1',
                imagePullPolicy: 'Always',
                command: ['convert'],
                args: ['a b', '5', '{"x":1}'],
                env: expect.arrayContaining([
                  { name: 'MODE', value: 'fast' },
                  { name: 'N', value: '3' },
                  { name: 'NOETL_INPUT_WHO', value: "O'Neil" },
                  { name: 'NOETL_EXECUTION_ID', value: '287146398761160704' },
                ]) as Json[],
                workingDir: '/in',
                securityContext: { runAsUser: 1000, runAsGroup: 2000 },
                resources: {
                  limits: { cpu: '500m', memory: '67108864' },
                  requests: { cpu: '0.1', memory: '32Mi' },
                },
                volumeMounts: [
                  { name: 'mount-0', mountPath: '/in', readOnly: true },
                  { name: 'mount-1', mountPath: '/cache' },
                  { name: 'mount-2', mountPath: '/scratch' },
                  { name: 'volume-0', mountPath: '/etc/app', readOnly: true },
                ],
              },
            ],
            volumes: [
              { name: 'mount-0', hostPath: { path: '/data' } },
              { name: 'mount-1', persistentVolumeClaim: { claimName: 'cache' } },
              { name: 'mount-2', emptyDir: { medium: 'Memory' } },
              { name: 'volume-0', configMap: { name: 'app' } },
            ],
          },
        },
      },
    },
  ]);
  expect(k8s.cluster.requests.every(({ authorization }) => authorization === 'Bearer of-k8s')).toBe(true);
  expect(k8s.cluster.requests.every(({ url }) => url.includes('/namespaces/batch/'))).toBe(true);
  expect(k8s.cluster.requests.at(-1)).toMatchObject({ route: 'DELETE jobs/*' });
  expect(k8s.cluster.requests.at(-1)!.url).toMatch(
    new RegExp(`/jobs/${name}\\?propagationPolicy=Background$`),
  );
});

test('without any of them: one pod, no rights in the cluster, nothing of the worker', async () => {
  await k8s.run({});
  expect(k8s.posted()[0]).toMatchObject({
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: 630,
      template: { spec: { restartPolicy: 'Never', automountServiceAccountToken: false } },
    },
  });
  expect(k8s.posted()[0]).not.toHaveProperty('spec.template.spec.volumes');
  expect(JSON.stringify(k8s.posted()[0])).not.toContain('PATH');
  expect(k8s.cluster.requests.every(({ url }) => url.includes('/namespaces/default/'))).toBe(true);
});

test('`runtime` as a mapping, as playbooks of NoETL write it, is the same Job', async () => {
  const plain = {
    namespace: 'noetl',
    command: ['/bin/bash', '/init.sh'],
    service_account: 'w',
    active_deadline_seconds: 'PT10M',
    backoff_limit: 1,
    cleanup: true,
    resources: { limits: { cpu: '500m' } },
    env: { A: '1', B: '2' },
  };
  await k8s.run(plain);
  await run(
    tool,
    {
      auth: 'k8s',
      runtime: {
        provider: 'kubernetes',
        namespace: 'noetl',
        image: 'busybox:1',
        command: ['/bin/bash', '/init.sh'],
        serviceAccountName: 'w',
        backoffLimit: 1,
        activeDeadlineSeconds: 600,
        cleanup: true,
        imagePullPolicy: 'IfNotPresent',
        resources: { limits: { cpu: '500m' } },
        env: { A: '1', B: '0' },
      },
      env: { B: '2' },
    },
    {},
    k8s.context(),
  );
  expect(k8s.posted()).toHaveLength(2);
  expect(k8s.posted()[1]).toEqual(k8s.posted()[0]);
});

test('the worker says what `runtime` is where a task does not', async () => {
  process.env['NOETL_CONTAINER_RUNTIME'] = 'kubernetes';
  try {
    expect((await run(tool, { image: 'x', auth: 'k8s', namespace: 'n' }, {}, k8s.context())).status).toBe(
      'ok',
    );
  } finally {
    delete process.env['NOETL_CONTAINER_RUNTIME'];
  }
  expect(k8s.posted()).toHaveLength(1);
});

test('texts arrive as they are, although Kubernetes reads `$(NAME)` and `$$`', async () => {
  await k8s.run({ command: 'echo $$ $(HOME) $X', env: { A: '$(B)' } });
  const [main] = (k8s.posted()[0] as { spec: { template: { spec: { containers: JsonObject[] } } } }).spec
    .template.spec.containers;
  expect(main).toMatchObject({ command: ['/bin/sh', '-c', 'echo $$$$ $$(HOME) $$X'] });
  expect(main!['env']).toContainEqual({ name: 'A', value: '$$(B)' });
});

test.each<JsonObject>([
  { container: { image: 'python:3', runtime: 'kubernetes', auth: 'k8s' } },
  { job: { image: 'python:3', auth: 'k8s' } },
])('a script stands in the container as a ConfigMap, which ends with its Job: %j', async (where) => {
  k8s.cluster.stdout = '[1]';
  const outcome = await run(
    script,
    {
      code: 'print([1])',
      interpreter: ['python3'],
      args: ['a'],
      ...where,
    },
    {},
    k8s.context(),
  );
  expect(outcome.result).toMatchObject({ data: [1], exit_code: 0 });
  const [job] = k8s.posted();
  const { name } = job!['metadata'] as { name: string };
  expect(k8s.posted('configmaps')).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({
        name,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: `uid-of-${name}` }],
      }) as Json,
      data: { script: 'print([1])' },
    }),
  ]);
  expect(job).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              command: ['python3', '/noetl/script', 'a'],
              volumeMounts: [{ name: 'noetl-files', mountPath: '/noetl', readOnly: true }],
            },
          ],
          volumes: [{ name: 'noetl-files', configMap: { name, defaultMode: 0o755 } }],
        },
      },
    },
  });
});

describe('while it runs', () => {
  test('the reason why it does not yet, then its log, go to the heartbeats', async () => {
    k8s.cluster.stdout = 'one\ntwo\n';
    k8s.cluster.scene = [
      pods.pending('0/3 nodes are available: insufficient cpu'),
      pods.running(),
      pods.ended(0),
    ];
    const ctx = k8s.context();
    await k8s.run({}, ctx);
    expect(ctx.beats[0]).toMatchObject({
      waiting: 'Unschedulable (0/3 nodes are available: insufficient cpu)',
    });
    expect(ctx.beats.at(-1)).toMatchObject({ log: ['one', 'two'] });
  });

  test('a log that breaks off is read again from its start; an API that is gone for a while is waited for', async () => {
    k8s.cluster.stdout = 'all of it\n';
    k8s.cluster.brokenLogs = 1;
    k8s.cluster.scene = [pods.running(), pods.running(), pods.ended(0)];
    let failures = 2;
    k8s.cluster.answers['GET jobs/*'] = () => (failures-- > 0 ? refusal(503, 'etcd is electing') : undefined);
    const outcome = await k8s.run({});
    expect(outcome).toMatchObject({ status: 'ok', result: { stdout: 'all of it\n' } });
    expect(outcome.meta).not.toHaveProperty('log_lost');
    expect(k8s.cluster.routes(/^GET pods\/\*\/log/).length).toBeGreaterThan(1);
    expect(failures).toBeLessThan(0);
  });

  test('a second pod after the first: its end and its log count', async () => {
    k8s.cluster.stdout = 'second\n';
    k8s.cluster.scene = [
      pods.running(),
      pods.ended(1),
      [pods.ended(1), pods.running()],
      [pods.ended(1), pods.ended(0)],
    ];
    expect(await k8s.run({ backoff_limit: 1 })).toMatchObject({
      status: 'ok',
      result: { stdout: 'second\n' },
    });
  });
});

describe('what a lost worker left behind', () => {
  const { labels, name } = containerIdentity(call('container', {}));

  test('its Job is gone on with, and not run twice', async () => {
    k8s.cluster.leave(name, labels);
    k8s.cluster.stdout = 'from the first byte\n';
    expect(await k8s.run({})).toMatchObject({
      status: 'ok',
      result: { stdout: 'from the first byte\n', container: name },
      meta: { adopted: true },
    });
    expect(k8s.posted()).toEqual([]);
    expect(k8s.cluster.jobs.size).toBe(0);
  });

  test('also when another execution makes it in between', async () => {
    k8s.cluster.answers['POST jobs'] = () => {
      k8s.cluster.leave(name, labels);
      return refusal(409, `jobs.batch "${name}" already exists`, 'AlreadyExists');
    };
    expect(await k8s.run({})).toMatchObject({ status: 'ok', meta: { adopted: true } });
  });

  test('one that is being deleted is not: the next attempt comes later', async () => {
    k8s.cluster.leave(name, labels, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    k8s.cluster.answers['DELETE jobs/*'] = () => ({ status: 200 });
    k8s.cluster.answers['POST jobs'] = () =>
      refusal(409, 'object is being deleted: jobs.batch already exists');
    expect((await k8s.run({})).error).toMatchObject({ kind: 'connection', retryable: true, status: 409 });
  });

  test('one of an earlier attempt of the same work is removed; one of other work is left alone', async () => {
    k8s.cluster.leave('earlier', { ...labels, [LABEL_TASK_RUN]: 'of-an-earlier-attempt' });
    k8s.cluster.leave('other', { ...labels, [LABEL_TASK_RUN]: 'x', [LABEL_WORK]: 'other' });
    expect(await k8s.run({})).toMatchObject({ status: 'ok' });
    expect([...k8s.cluster.jobs.keys()]).toEqual(['other']);
  });

  test('the files of a script are made good, if its worker died before', async () => {
    const left = containerIdentity(call('script', {}));
    k8s.cluster.leave(left.name, left.labels);
    const container = { image: 'x', runtime: 'kubernetes', auth: 'k8s' };
    expect(await run(script, { code: 'true', container }, {}, k8s.context())).toMatchObject({
      meta: { adopted: true },
    });
    expect(k8s.posted('configmaps')).toHaveLength(1);
  });
});

test.each<[JsonObject, string]>([
  [{ runtime: { provider: 'kubernetes', images: 'x' } }, "runtime has no field 'images'"],
  [{ runtime: 'docker', namespace: 'n' }, 'namespace is of Kubernetes, and runtime is docker'],
  [{ runtime: 'lxc' }, "runtime 'lxc' is not one of docker, kubernetes"],
  [{ restart_policy: 'Always' }, "restart_policy is Never or OnFailure, not 'Always'"],
  [{ backoff_limit: -1 }, 'backoff_limit must be a number of 0 or more'],
  [{ resources: { limits: '1' } }, 'resources.limits must be a mapping, not a string'],
  [{ tolerations: {} }, 'tolerations must be a list, not a mapping'],
  [{ tolerations: ['a'] }, 'tolerations[0] must be a mapping, not a string'],
  [{ volumes: [{ configMap: { name: 'x' } }] }, 'volumes[0] needs a mount_path and one source of Kubernetes'],
  [{ image_pull_secrets: [5] }, 'image_pull_secrets[0] must be the name of a secret, not a number'],
  [{ limits: { pids: 5 } }, 'limits.pids is not of runtime kubernetes'],
  [{ user: 'root' }, 'user is `uid` or `uid:gid` in numbers'],
  [{ network: 'none' }, "network 'none' is not of runtime kubernetes"],
])('fields that make no sense: %j', async (config, message) => {
  const { error } = await k8s.run(config);
  expect(error).toMatchObject({ kind: 'validation', code: 'INVALID_INPUT' });
  expect(error!.message).toContain(message);
  expect(k8s.cluster.requests).toEqual([]);
});
