// Lints the Helm chart, renders it with few and with many values, and validates the result against the schemas of
// Kubernetes, KEDA and the Prometheus Operator. Needs `helm` and `kubeconform`. The schemas come from the internet, or with `--offline` from
// Go modules:
//   go install helm.sh/helm/v3/cmd/helm@v3.19.0 && go install github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0
//   PATH=$PATH:$(go env GOPATH)/bin node scripts/check-chart.mjs --offline
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const chart = path.join(root, 'deploy/helm/noetl-temporal');
const values = path.join(root, 'test/fixtures/helm');
const KUBERNETES = '1.34.1';
const KEDA = '2.18.0';
const OPERATOR = '0.85.0';
const CRDS =
  'https://raw.githubusercontent.com/datreeio/CRDs-catalog/main/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json';

function run(program, args, input) {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      input,
      maxBuffer: 64 * 2 ** 20,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  } catch (error) {
    process.stderr.write(`${error.stdout ?? error.message}\n`);
    process.exit(1);
  }
}

const moduleFolder = (module) => JSON.parse(run('go', ['mod', 'download', '-json', module])).Dir;

/** Objects with declared properties allow no others, as in `kubeconform -strict`. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (inner['x-kubernetes-int-or-string'] || inner.format === 'int-or-string')
    return { type: ['integer', 'string'] };
  const isOpen = inner['x-kubernetes-preserve-unknown-fields'] || 'additionalProperties' in inner;
  const isObject = inner.properties && typeof inner.properties === 'object' && !isOpen;
  return isObject ? { ...inner, additionalProperties: false } : inner;
}

function write(folder, kind, group, version, schema) {
  const suffix = group ? `-${group.split('.')[0]}-${version}` : `-${version}`;
  fs.writeFileSync(path.join(folder, `${kind.toLowerCase()}${suffix}.json`), JSON.stringify(schema));
}

/** The definitions that a definition refers to, directly or indirectly. */
function reachable(definitions, name, found = {}) {
  for (const [, next] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    if (next in found) continue;
    found[next] = definitions[next];
    reachable(definitions, next, found);
  }
  return found;
}

function schemasOfModules() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-schemas-'));
  const spec = path.join(moduleFolder(`k8s.io/kubernetes@v${KUBERNETES}`), 'api/openapi-spec/swagger.json');
  const definitions = closed(JSON.parse(fs.readFileSync(spec, 'utf8')).definitions);
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  for (const [name, definition] of Object.entries(definitions))
    for (const { group, kind, version } of definition['x-kubernetes-group-version-kind'] ?? [])
      write(folder, kind, group, version, { ...definition, definitions: reachable(definitions, name) });
  const ofKeda = path.join(moduleFolder(`github.com/kedacore/keda/v2@v${KEDA}`), 'config/crd/bases');
  const ofOperator = path.join(
    moduleFolder(`github.com/prometheus-operator/prometheus-operator@v${OPERATOR}`),
    'example/prometheus-operator-crd',
  );
  const crds = [ofKeda, ofOperator].flatMap((crd) => fs.readdirSync(crd).map((file) => path.join(crd, file)));
  for (const file of crds) {
    const { spec: crd } = parse(fs.readFileSync(file, 'utf8'));
    for (const { name, schema } of crd.versions) {
      const object = closed(schema.openAPIV3Schema);
      object.properties.metadata = { type: 'object' };
      write(folder, crd.names.kind, crd.group, name, object);
    }
  }
  return folder;
}

const offline = process.argv.includes('--offline');
const folder = offline ? schemasOfModules() : undefined;
const locations = offline
  ? ['-schema-location', `${folder}/{{.ResourceKind}}{{.KindSuffix}}.json`]
  : ['-schema-location', 'default', '-schema-location', CRDS];
const common = ['--namespace', 'noetl', '--kube-version', KUBERNETES];
for (const file of fs.readdirSync(values)) {
  const given = ['--values', path.join(values, file)];
  process.stdout.write(run('helm', ['lint', '--strict', chart, ...given, '--kube-version', KUBERNETES]));
  const rendered = run('helm', ['template', 'noetl', chart, ...given, ...common]);
  const checked = ['-strict', '-summary', '-kubernetes-version', KUBERNETES, ...locations, '-'];
  process.stdout.write(`${file}: ${run('kubeconform', checked, rendered)}`);
}
if (folder) fs.rmSync(folder, { recursive: true });
