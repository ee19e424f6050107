/**
 * The inputs of a playbook as form fields, in the format of the NoETL GUI: from `metadata.workload`, from comments
 * `# ui:secret`, `# ui:enum=[a, b]`, `# ui:credential=pg_*`, `# ui:description=…`, and otherwise from the default's
 * type.
 */
import { type InputSchema, inputSchemas, isMapping, type Json, type JsonObject } from '../../plan';
import { asMap, child, dataOf, type MapEntry, type MapNode } from '../yaml/node';

export const FIELD_KINDS = [
  'string',
  'integer',
  'number',
  'boolean',
  'enum',
  'array',
  'object',
  'null',
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly default: Json;
  readonly description: string | null;
  readonly secret: boolean;
  /** Names of selectable credentials. */
  readonly credential_glob: string | null;
  readonly options: readonly Json[] | null;
  /** Of an object. */
  readonly children: readonly InputField[] | null;
}

/** @param root the document */
export function inputFields(root: MapNode, text: string): InputField[] {
  const schemas = inputSchemas(dataOf(root) as JsonObject);
  const workload = asMap(child(root, 'workload'));
  const written = (workload?.entries ?? []).map((entry) => fieldOf(entry, schemas.get(entry.key), text));
  const names = new Set(written.map(({ name }) => name));
  const declared = [...schemas].filter(([key]) => !names.has(key));
  return [...written, ...declared.map(([key, schema]) => field(key, null, schema, {}, null))];
}

function fieldOf({ key, at, value }: MapEntry, schema: InputSchema | undefined, text: string): InputField {
  const line = text.indexOf('\n', at.end) === -1 ? text.length : text.indexOf('\n', at.end);
  // After the value if it ends in its key's line, otherwise after the key.
  const behind = value.end <= line ? Math.max(value.end, at.end) : at.end;
  const children =
    value.kind === 'map' && value.entries.length > 0
      ? value.entries.map((entry) => fieldOf(entry, schema?.properties?.get(entry.key), text))
      : null;
  return field(key, dataOf(value), schema, directives(text.slice(behind, line)), children);
}

interface Directives {
  readonly secret?: true;
  readonly enum?: readonly Json[];
  readonly credential?: string;
  readonly description?: string;
}

function field(
  name: string,
  value: Json,
  schema: InputSchema | undefined,
  annotations: Directives,
  children: readonly InputField[] | null,
): InputField {
  const options = schema?.options ?? annotations.enum ?? null;
  return {
    name,
    kind: options ? 'enum' : kindOf(value, schema),
    default: value,
    description: schema?.description ?? annotations.description ?? null,
    secret: (schema?.secret ?? false) || annotations.secret === true,
    credential_glob: schema?.credential ?? annotations.credential ?? null,
    options,
    children: children ?? childrenOf(schema),
  };
}

function childrenOf(schema: InputSchema | undefined): readonly InputField[] | null {
  const { properties } = schema ?? {};
  if (!properties) return null;
  return [...properties].map(([name, inner]) => field(name, null, inner, {}, null));
}

function kindOf(value: Json, schema: InputSchema | undefined): FieldKind {
  const [type] = schema?.types?.filter((one) => one !== 'null') ?? [];
  if (type) return type;
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (Array.isArray(value)) return 'array';
  return isMapping(value) ? 'object' : typeof value === 'boolean' ? 'boolean' : 'string';
}

const DIRECTIVE = /#\s*ui:(\w+)(?:\s*=\s*([^#]*))?/g;

function directives(line: string): Directives {
  const pairs = [...line.matchAll(DIRECTIVE)].map(
    ([, key, value = '']) => [key, unquoted(value.trim())] as const,
  );
  const of = (name: string): string | undefined => pairs.find(([key]) => key === name)?.[1];
  const list = /^\[(.*)\]$/.exec(of('enum') ?? '')?.[1];
  return {
    ...(of('secret') !== undefined && { secret: true }),
    ...(list !== undefined && {
      enum: list
        .split(',')
        .map((item) => unquoted(item.trim()))
        .filter((item) => item !== ''),
    }),
    ...(of('credential') && { credential: of('credential') }),
    ...(of('description') && { description: of('description') }),
  };
}

function unquoted(text: string): string {
  return /^(['"])(.*)\1$/.exec(text)?.[2] ?? text;
}
