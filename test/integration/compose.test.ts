/** docker-compose.temporal.yml against what the code knows; no container engine is needed. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { toolKinds } from '../../activities/registry';
import { parseKeys } from '../../src/storage/keyring';
import { runsCode } from '../../src/cli/runtime/code-workers';
import { LOCAL_KIND } from '../../src/language/plan';
import { tokenId } from '../../src/server/store';
import { SEARCH_ATTRIBUTE_KEYS } from '../../src/temporal/client';
import { ROOT } from '../support/process';

interface Service {
  image: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  build?: { dockerfile: string };
  volumes?: string[];
  healthcheck?: { test: string[] };
  environment?: Record<string, string>;
  security_opt?: string[];
  devices?: string[];
}

const text = fs.readFileSync(path.join(ROOT, 'docker-compose.temporal.yml'), 'utf8');
const { services, volumes } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

const ours = Object.entries(services).filter(([, one]) => one.image === 'noetl-temporal');

test('it is a Compose file', () => {
  const schema = fs.readFileSync(path.join(__dirname, '../fixtures/compose/compose-spec.json'), 'utf8');
  const { $schema: _, ...spec } = JSON.parse(schema) as Record<string, unknown>;
  const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(spec);
  const told = (document: unknown): unknown[] => (validate(document), validate.errors ?? []);
  const document = parse(text, { merge: true }) as { services: Record<string, object> };
  expect(told(document)).toEqual([]);
  const { ui, ...others } = document.services;
  expect(told({ ...document, services: { ...others, ui: { ...ui, restrat: 'always' } } })).toHaveLength(1);
});

test('there is one worker service per tool kind, for local loops, and for workflows', () => {
  const commands = Object.values(services).flatMap((one) =>
    one.command?.[0] === 'worker' ? [one.command.slice(1, -2)] : [],
  );
  const expected = [['--workflows'], ...[...toolKinds, LOCAL_KIND].map((kind) => ['--kinds', kind])];
  expect(commands.sort()).toEqual(expected.sort());
});

test('every service, volume and file it refers to exists', () => {
  for (const one of Object.values(services)) {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(one.depends_on ?? {})));
    if (one.build) expect(fs.existsSync(path.join(ROOT, one.build.dockerfile))).toBe(true);
    for (const [source = ''] of (one.volumes ?? []).map((volume) => volume.split(':'))) {
      if (source.startsWith('./')) expect(fs.existsSync(path.join(ROOT, source))).toBe(true);
      else expect(Object.keys(volumes)).toContain(source);
    }
  }
});

test('no secret has a default: each is asked for, and drawn by docker/make-env.sh', () => {
  const made = execFileSync('sh', [path.join(ROOT, 'docker', 'make-env.sh')], { encoding: 'utf8' });
  const drawn = Object.fromEntries(
    made
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Record<string, string>;
  const asked = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!));
  expect([...asked].sort()).toEqual(Object.keys(drawn).sort());
  for (const name of asked) expect(text).not.toMatch(new RegExp(`\\$\\{${name}(:-|-|\\})`));
  for (const name of ['NOETL_WORKER_TOKEN', 'NOETL_CODE_TOKEN']) expect(tokenId(drawn[name]!)).toBeDefined();
  expect(parseKeys(drawn['NOETL_SECRETS_KEY']!, 'the key')).toHaveLength(1);
});

test('everything that runs of ours is asked whether it is well, writes nothing to its image, and has no rights', () => {
  for (const [name, one] of ours) {
    expect([name, one.healthcheck?.test]).toEqual([name, expect.arrayContaining(['node'])]);
    expect([name, one.read_only, one.cap_drop]).toEqual([name, true, ['ALL']]);
  }
});

test('the image is built once, by whom the others wait for', () => {
  expect(ours.filter(([, one]) => one.build).map(([name]) => name)).toEqual(['facade']);
  for (const [name, one] of ours)
    if (name !== 'facade')
      expect([name, one.depends_on?.['facade']?.condition]).toEqual([name, 'service_healthy']);
});

test('what is reached from outside is reached from this machine only', () => {
  for (const one of Object.values(services))
    for (const port of one.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test('our search attributes are registered', () => {
  for (const { name } of SEARCH_ATTRIBUTE_KEYS)
    expect(services['namespace']!.command!.join()).toContain(name);
});

const CODE = [LOCAL_KIND, ...toolKinds.filter(runsCode)].sort();

test('no worker opens files that a playbook names, unless its operator says which', () => {
  const workers = Object.entries(services).filter(([name]) => name.startsWith('worker'));
  expect(workers.length).toBeGreaterThan(toolKinds.length);
  for (const [, { environment }] of workers)
    expect(environment).toMatchObject({ NOETL_FILES: '${NOETL_FILES:-}' });
});

test('workers of code have a token without credentials, and run what authors write in a sandbox', () => {
  for (const kind of CODE) {
    const { environment, security_opt: options, devices } = services[`worker-${kind}`]!;
    expect(environment).toMatchObject({
      NOETL_TOKEN: expect.stringContaining('${NOETL_CODE_TOKEN:?') as string,
      NOETL_SANDBOX: '${NOETL_SANDBOX:-standard}',
    });
    expect(devices).toEqual(['/dev/net/tun']);
    expect(options).toContain('seccomp=docker/seccomp-sandbox.json');
  }
  const created = /tokens create code (.*) --from-env NOETL_CODE_TOKEN/.exec(
    services['facade']!.command![0]!,
  )!;
  expect(created[1]).toMatch(/^--scopes worker --granted --kinds /);
  expect(created[1]!.split('--kinds ')[1]!.split(',').sort()).toEqual(CODE);
});

/** Roles whose passwords a service has, by the variables that it is given. */
function passwordsOf(service: string): string[] {
  const given = JSON.stringify(services[service]!.environment);
  return [...new Set([...given.matchAll(/\$\{(\w+)_POSTGRES_PASSWORD/g)].map(([, role]) => role!))].sort();
}

test('nobody has the password of a database that is not its business, nor workers of authors the key', () => {
  const has = Object.fromEntries(
    Object.keys(services)
      .filter((name) => services[name]!.environment)
      .map((name) => [name, passwordsOf(name)]),
  );
  const workers = Object.keys(services).filter((name) => name.startsWith('worker-'));
  expect(has).toEqual({
    postgres: ['ADMIN', 'NOETL', 'PLAYBOOKS', 'RESULTS', 'RESULTS_CODE', 'TEMPORAL'],
    schema: ['TEMPORAL'],
    temporal: ['TEMPORAL'],
    namespace: [],
    ui: [],
    facade: ['NOETL', 'PLAYBOOKS', 'RESULTS'],
    projection: ['NOETL', 'RESULTS'],
    triggers: ['NOETL', 'RESULTS'],
    ...Object.fromEntries(workers.map((name) => [name, ['RESULTS']])),
    // A login that lists, changes and deletes nothing.
    ...Object.fromEntries(CODE.map((kind) => [`worker-${kind}`, ['RESULTS_CODE']])),
  });
  const withoutKey = workers.filter(
    (name) => !services[name]!.environment!['NOETL_SECRETS_KEY']!.includes('${NOETL_SECRETS_KEY'),
  );
  expect(withoutKey.sort()).toEqual(CODE.map((kind) => `worker-${kind}`));
  // Whoever reads histories can read encrypted ones.
  for (const name of ['facade', 'projection', 'triggers']) {
    expect(services[name]!.environment).toMatchObject({
      NOETL_SECRETS_KEY: expect.stringContaining('${NOETL_SECRETS_KEY') as string,
      NOETL_ENCRYPT_PAYLOADS: '${NOETL_ENCRYPT_PAYLOADS:-}',
    });
  }
});
