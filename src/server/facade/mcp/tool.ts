/** A playbook as a tool of the Model Context Protocol: its name, what it is for, and a schema of its inputs. */
import {
  compact,
  excerpt,
  inputSchemas,
  type InputSchema,
  isMapping,
  type Json,
  playbookInputs,
} from '../../../language/plan';
import { type CatalogEntry } from '../../store';
import { EXECUTABLE } from '../catalog/content';
import { FacadeError } from '../http/errors';
import { type Form } from '../threads/jobs';

const YES = /^"?(true|yes|on|y|1)"?$/i;

/** @throws FacadeError 422 `NOT_EXECUTABLE`, 403 `NOT_EXPOSED` if its author hides it from MCP */
export function refuseHidden({ path, kind, payload }: CatalogEntry): void {
  if (!EXECUTABLE.includes(kind))
    throw new FacadeError(422, 'NOT_EXECUTABLE', `${path} is a resource of kind ${kind}, not a playbook`);
  const metadata = isMapping(payload['metadata']) ? payload['metadata'] : {};
  const exposed = metadata['exposes_as_mcp'] ?? true;
  // YAML has had more words for `false` than it has now: what is not clearly yes hides.
  if (!YES.test(JSON.stringify(exposed)))
    throw new FacadeError(
      403,
      'NOT_EXPOSED',
      `${path} is not offered over MCP: its metadata says \`exposes_as_mcp: ${excerpt(exposed, 40)}\``,
    );
}

/** As the official engine names it, with the characters that the protocol allows. */
export function toolName({ name, path }: Pick<CatalogEntry, 'name' | 'path'>): string {
  return (name.trim() || path)
    .replaceAll('/', '.')
    .replace(/[^\w.-]/g, '_')
    .slice(0, 128);
}

export function toolOf(entry: CatalogEntry, { description, fields }: Form): object {
  const { path, kind, payload } = entry;
  const declared = inputSchemas(payload);
  const inputs = playbookInputs(payload);
  const properties = fields.map((field): [string, object] => {
    const { name, kind: type, options, secret, default: value } = field;
    const shown = { enum: options, description: field.description, default: secret ? null : value };
    // Of an input that is null and not declared, nothing is known.
    const types = type === 'null' || type === 'enum' ? {} : { type };
    return [name, { ...types, ...schemaJson(declared.get(name)), ...withoutNulls(shown) }];
  });
  const required = requiredIn(declared, inputs?.defaulted);
  return {
    name: toolName(entry),
    description: description ?? `Runs the ${kind} '${path}' and waits for its result.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      // A playbook that declares inputs is started with no others.
      additionalProperties: inputs === undefined,
    },
  };
}

/** A declaration as JSON Schema. */
function schemaJson(schema?: InputSchema): object {
  if (!schema) return {};
  const {
    types,
    options,
    items,
    properties,
    closed,
    required: _,
    secret: __,
    credential: ___,
    ...words
  } = schema;
  const required = requiredIn(properties ?? new Map());
  return compact({
    type: types?.length === 1 ? types[0] : types,
    enum: options,
    ...words,
    items: items && schemaJson(items),
    properties: properties && Object.fromEntries([...properties].map(([key, one]) => [key, schemaJson(one)])),
    required: required.length > 0 ? required : undefined,
    additionalProperties: closed && false,
  });
}

function requiredIn(schemas: ReadonlyMap<string, InputSchema>, defaulted: readonly string[] = []): string[] {
  return [...schemas].flatMap(([key, one]) => (one.required && !defaulted.includes(key) ? [key] : []));
}

function withoutNulls(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** What a reader sees of a result: its words, as the official GUI finds them, otherwise all of it. */
export function resultText(result: Json): string {
  if (typeof result === 'string') return result;
  for (const key of ['text', 'summary', 'message', 'user_message', 'output']) {
    const value = isMapping(result) ? result[key] : undefined;
    const inner = isMapping(value) ? (value['text'] ?? value['summary'] ?? value['message']) : value;
    if (typeof inner === 'string' && inner.trim() !== '') return inner;
  }
  return JSON.stringify(result);
}
