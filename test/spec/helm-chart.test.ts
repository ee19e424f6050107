/** deploy/helm/noetl-temporal against what the code knows; with Helm also what it renders. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { toolKinds } from '../../activities/registry';
import { leavesOf } from '../../src/cli/examples';
import { program } from '../../src/cli/program';
import { runsCode } from '../../src/cli/runtime/code-workers';
import { LOCAL_KIND } from '../../src/language/plan';
import { type Absent, present } from '../support/present';
import { ROOT } from '../support/process';

const CHART = path.join(ROOT, 'deploy/helm/noetl-temporal');
const FIXTURES = path.join(ROOT, 'test/fixtures/helm');
const read = (file: string): string => fs.readFileSync(path.join(CHART, file), 'utf8');
const values = parse(read('values.yaml')) as { workers: Record<string, { workflows?: true } | null> };
/** Workers that run what authors write, as the compose file tells them apart. */
const CODE: string[] = [LOCAL_KIND, ...toolKinds.filter(runsCode)];

test('values and fixtures are of the schema, which refuses what is misspelt and passwords in the open', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')) as object);
  expect([validate(values), validate.errors]).toEqual([true, null]);
  for (const file of fs.readdirSync(FIXTURES))
    expect(validate(parse(fs.readFileSync(path.join(FIXTURES, file), 'utf8')))).toBe(true);
  const page = fs.readFileSync(path.join(ROOT, 'docs/install.md'), 'utf8');
  const shown = [...page.matchAll(/^```yaml values\n([^]*?)^```$/gm)];
  expect(shown).toHaveLength(2);
  for (const [, one] of shown) expect([validate(parse(one!)), validate.errors]).toEqual([true, null]);
  expect(validate({ facade: { replica: 2 } })).toBe(false);
  expect(validate({ workers: { http: { concurency: 3 } } })).toBe(false);
  expect(validate({ workers: { every: { kinds: ['all'] } } })).toBe(false);
  expect(validate({ storage: { url: 'postgres://results:hunter2@db/results' } })).toBe(false);
});

test('there is one worker per tool kind, for local loops, and for workflows', () => {
  const own = Object.entries(values.workers).map(([name, worker]) =>
    worker?.workflows ? 'workflows' : name,
  );
  expect(own.sort()).toEqual(['workflows', LOCAL_KIND, ...toolKinds].sort());
  const [, code] = /define "noetl.codeKinds" -}}(.+?){{/.exec(read('templates/_helpers.tpl'))!;
  expect(code!.split(' ').sort()).toEqual([...CODE].sort());
});

test('the chart is of the version of the package', () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

function helm(): string | Absent {
  const known = ['helm', path.join(os.homedir(), 'go', 'bin', 'helm')];
  const found = known.find((program) => spawnSync(program, ['version']).status === 0);
  return (
    found ?? { skipped: 'no helm on the PATH (go install helm.sh/helm/v3/cmd/helm@v3.19.0)', extra: true }
  );
}

interface Container {
  readonly name: string;
  readonly args: string[];
  readonly env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string } } }[];
  readonly securityContext: object;
  readonly readinessProbe?: { httpGet: { path: string } };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      spec: { containers: Container[]; initContainers?: Container[]; securityContext: object };
    };
    readonly triggers: { type: string; metadata: Record<string, string> }[];
    readonly podSelector: { matchLabels: Record<string, string> };
  };
}

/** As far as scraping and alerts are concerned. */
interface Monitoring {
  readonly kind: string;
  readonly metadata: { readonly labels: Record<string, string> };
  readonly data?: Record<string, string>;
  readonly spec: {
    readonly selector: {
      readonly matchLabels: Record<string, string>;
      readonly matchExpressions: readonly { key: string; operator: string; values: string[] }[];
    };
    readonly endpoints?: readonly object[];
    readonly podMetricsEndpoints?: readonly object[];
    readonly template?: { readonly metadata: { readonly labels: Record<string, string> } };
    readonly groups?: readonly { rules: readonly { alert: string; annotations: Record<string, string> }[] }[];
  };
}

function rendered(fixture: string): Manifest[] {
  const file = path.join(FIXTURES, fixture);
  const args = ['template', 'noetl', CHART, '--kube-version', '1.34.0', '--values', file];
  const text = execFileSync(present(helm()), args, { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
}

const deployments = (all: Manifest[]): [string, Manifest['spec']['template']['spec']][] =>
  all
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => [metadata.name.replace('noetl-noetl-temporal-', ''), spec.template.spec]);

const secretsOf = ({ env }: Container): Record<string, string> =>
  Object.fromEntries(
    env.flatMap(({ name, valueFrom }) => (valueFrom ? [[name, valueFrom.secretKeyRef.name]] : [])),
  );

test('each process has the secrets it needs, and no other', () => {
  const held = deployments(rendered('least.yaml')).map(([name, { containers }]) => [
    name,
    secretsOf(containers[0]!),
  ]);
  const DATABASE_URL = 'noetl-database';
  const NOETL_SECRETS_KEY = 'noetl-key';
  const NOETL_TOKEN = 'noetl-worker-token';
  const NOETL_CODE_TOKEN = 'noetl-code-token';
  expect(Object.fromEntries(held)).toEqual({
    facade: { DATABASE_URL, NOETL_SECRETS_KEY, NOETL_WORKER_TOKEN: NOETL_TOKEN, NOETL_CODE_TOKEN },
    projection: { DATABASE_URL },
    triggers: { DATABASE_URL, NOETL_SECRETS_KEY },
    ...Object.fromEntries(
      Object.keys(values.workers).map((name) => [
        `worker-${name}`,
        CODE.includes(name) ? { NOETL_TOKEN: NOETL_CODE_TOKEN } : { NOETL_TOKEN, NOETL_SECRETS_KEY },
      ]),
    ),
  });
});

test('a worker of several kinds has the key only where none of them runs authors’ code, or it is handed over', () => {
  const key = (fixture: string): string[] =>
    deployments(rendered(fixture))
      .filter(([, { containers }]) => 'NOETL_SECRETS_KEY' in secretsOf(containers[0]!))
      .map(([name]) => name);
  expect(key('most.yaml')).toContain('worker-gpu');
  expect(key('code-beside-others.yaml')).not.toContain('worker-mixed');
});

test('every container is of no rights and a read-only file system, and is asked whether it is ready', () => {
  for (const [name, pod] of deployments(rendered('most.yaml'))) {
    const [{ env }] = pod.containers as [Container];
    const sandbox = env.find((one) => one.name === 'NOETL_SANDBOX')?.value;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: sandbox ? 'Unconfined' : 'RuntimeDefault' },
    });
    const files = env.find((one) => one.name === 'NOETL_FILES');
    expect([name, files?.value]).toEqual([name, name.startsWith('worker-') ? '' : undefined]);
    expect([name, sandbox]).toEqual([
      name,
      CODE.includes(name.replace('worker-', '')) || name === 'worker-gpu' ? 'standard' : undefined,
    ]);
    for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
        ...(sandbox && { procMount: 'Unmasked' }),
      });
    const health = name === 'facade' ? '/api/health/ready' : '/health/ready';
    expect(pod.containers[0]!.readinessProbe?.httpGet.path).toBe(health);
  }
});

test.each(['least.yaml', 'most.yaml'])(
  'the command line takes what containers are started with: %s',
  async (fixture) => {
    const ran: string[] = [];
    for (const [, { containers, initContainers = [] }] of deployments(rendered(fixture)))
      for (const { args } of [...initContainers, ...containers]) {
        const root = program();
        for (const [leaf, command] of leavesOf(root)) command.action(() => void ran.push(leaf));
        await root.parseAsync(args, { from: 'user' });
      }
    expect(new Set(ran)).toEqual(new Set(['tokens create', 'serve', 'project', 'triggers', 'worker']));
  },
);

test('every process is scraped with the token, rules lead to the docs that are named, and the dashboard is there', () => {
  const all = rendered('most.yaml');
  const of = (kind: string): Monitoring[] =>
    all.filter((one) => one.kind === kind) as unknown as Monitoring[];
  const [service] = of('ServiceMonitor');
  const [pods] = of('PodMonitor');
  for (const { metadata, spec } of [service!, pods!]) {
    expect(metadata.labels['release']).toBe('prometheus');
    const [endpoint] = spec.endpoints ?? spec.podMetricsEndpoints!;
    expect(endpoint).toMatchObject({
      port: 'http',
      authorization: { credentials: { name: 'm', key: 't' } },
      relabelings: [{ targetLabel: 'job', replacement: 'noetl-$1' }],
    });
  }
  // Each component is selected by one of the two, by the labels that its pods and its Service have.
  const labelsOf = (kind: string): Record<string, string>[] =>
    (all as unknown as Monitoring[])
      .filter((one) => one.kind === kind)
      .map(({ metadata, spec }) => (kind === 'Service' ? metadata.labels : spec.template!.metadata.labels));
  const isOf = ({ spec: { selector } }: Monitoring, labels: Record<string, string>): boolean =>
    Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value) &&
    selector.matchExpressions.every(
      ({ key, operator, values: some }) => some.includes(labels[key]!) === (operator === 'In'),
    );
  expect(labelsOf('Service').map((labels) => isOf(service!, labels))).toEqual([true]);
  const deployed = labelsOf('Deployment');
  const unselected = deployed.filter((labels) => !isOf(pods!, labels));
  expect(unselected.map((labels) => labels['app.kubernetes.io/component'])).toEqual(['facade']);
  const facade = deployments(all).find(([name]) => name === 'facade')![1];
  expect(facade.initContainers!.map(({ args }) => args.slice(0, 5).join(' '))).toContain(
    'tokens create prometheus --scopes read',
  );
  const [{ spec: rules }] = of('PrometheusRule') as [Monitoring];
  const alerts = rules.groups!.flatMap((group) => group.rules);
  const own = parse(read('files/rules.yaml')) as { groups: { rules: unknown[] }[] };
  expect(alerts).toHaveLength(own.groups.flatMap((group) => group.rules).length);
  for (const { alert, annotations } of alerts)
    expect(annotations['runbook_url']).toBe(
      `https://docs.example.com/noetl/monitoring.md#${alert.toLowerCase()}`,
    );
  const [{ metadata, data }] = of('ConfigMap') as [Monitoring];
  expect(metadata.labels['grafana_dashboard']).toBe('1');
  expect(JSON.parse(data!['noetl-temporal.json']!)).toEqual(JSON.parse(read('files/dashboard.json')));
  expect(rendered('least.yaml').filter(({ kind }) => /Monitor|Rule|ConfigMap/.test(kind))).toEqual([]);
});

test('workers scale by the backlog of the queues they serve, and every process has a network policy', () => {
  const all = rendered('keda.yaml');
  const queues = Object.fromEntries(
    all
      .filter(({ kind }) => kind === 'ScaledObject')
      .map(({ metadata, spec }) => [
        metadata.name.replace('noetl-noetl-temporal-worker-', ''),
        spec.triggers.map(({ metadata: { taskQueue, queueTypes } }) => `${taskQueue} ${queueTypes}`),
      ]),
  );
  expect(queues).toMatchObject({
    http: ['noetl-http activity'],
    workflows: ['noetl-workflows workflow'],
    gpu: ['noetl-gpu-python activity', 'noetl-gpu-shell activity'],
  });
  expect(queues).not.toHaveProperty('snowflake');
  const scaled = all.filter(({ kind, spec }) => kind === 'Deployment' && spec.replicas === undefined);
  expect(scaled).toHaveLength(Object.keys(queues).length);
  const network = all.filter(({ kind }) => kind === 'NetworkPolicy');
  const mayMail = network.filter(({ spec }) => JSON.stringify(spec).includes('587'));
  expect(mayMail.map(({ metadata }) => metadata.name)).toEqual(['noetl-noetl-temporal-projection']);
  const policies = network.map(({ metadata }) => metadata.name);
  expect(policies.sort()).toEqual(
    all
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name)
      .sort(),
  );
});
