/** Documents of a catalog, playbooks and others, as far as the catalog needs them. */
import { catalogPath, compact, isMapping, type JsonObject } from '../plan';
import { type Diagnostic, Findings } from './diagnostics/diagnostic';
import { inputFields, type InputField } from './workload/fields';
import { dataOf } from './yaml/node';
import { LineIndex } from './yaml/lines';
import { parseYaml } from './yaml/parse';

export interface Resource {
  /** As written; undefined if absent. */
  readonly kind?: string;
  /** `metadata.path`, or the name. */
  readonly path?: string;
  readonly name?: string;
  /** `metadata.version`. */
  readonly version?: string;
  readonly description?: string;
  readonly data: JsonObject;
  /** Its inputs as form fields. */
  fields(): InputField[];
}

/** Parses the header of a document; undefined if it is not a YAML mapping, with diagnostics. */
export function readResource(text: string): { resource?: Resource; diagnostics: Diagnostic[] } {
  const findings = new Findings(new LineIndex(text), {});
  const root = parseYaml(text, findings, { name: 'resource', startsWith: '`apiVersion: noetl.io/v2`' });
  if (root === undefined) return { diagnostics: findings.list() };
  const data = dataOf(root) as JsonObject;
  const metadata = isMapping(data['metadata']) ? data['metadata'] : {};
  const field = (key: string): string | undefined => textOf(metadata[key]) ?? textOf(data[key]);
  const name = field('name');
  const path = field('path') ?? name;
  return {
    diagnostics: findings.list(),
    resource: {
      ...compact({
        kind: textOf(data['kind']),
        name,
        path: path && catalogPath(path),
        version: textOf(metadata['version']),
        description: textOf(metadata['description']),
      }),
      data,
      fields: () => inputFields(root, text),
    },
  };
}

/** Whether a file looks like a playbook, of which an agent is one. */
export function looksExecutable(text: string): boolean {
  return /^kind:\s*['"]?(?:Playbook|Agent)\b/m.test(text);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}
