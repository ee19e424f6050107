/**
 * The declarations in `metadata.workload`: a mapping from input name to a schema with keywords of JSON Schema.
 * Submissions and calls are validated against it, and forms are generated from it.
 */
import { isMapping, type Json, type JsonObject } from '../json';

export const INPUT_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** Schema of an input or of part of one. What is not declared is not checked. */
export interface InputSchema {
  readonly types?: readonly InputType[];
  /** Must be given, unless its default is not null. */
  readonly required: boolean;
  readonly options?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: InputSchema;
  readonly properties?: ReadonlyMap<string, InputSchema>;
  /** It has no others than these: `additionalProperties: false`. */
  readonly closed?: true;
  readonly description?: string;
  readonly secret: boolean;
  /** A pattern for credential names, e.g. `pg_*`: the input's value is such a name. */
  readonly credential?: string;
}

/** The schemas of a playbook's inputs, by key; invalid parts are omitted. */
export function inputSchemas(playbook: JsonObject): ReadonlyMap<string, InputSchema> {
  const metadata = playbook['metadata'];
  return schemasIn(isMapping(metadata) ? metadata['workload'] : undefined);
}

/**
 * @param value `metadata.workload`, or `properties`
 * @param required the names beside `properties`, as JSON Schema has them
 */
export function schemasIn(value: unknown, required?: unknown): ReadonlyMap<string, InputSchema> {
  const entries = isMapping(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([key, definition]) =>
      isMapping(definition) ? [[key, schemaOf(definition, isNamedIn(required, key))] as const] : [],
    ),
  );
}

function isNamedIn(required: unknown, key: string): boolean {
  return Array.isArray(required) && required.includes(key);
}

function schemaOf(definition: Record<string, unknown>, isRequired = false): InputSchema {
  const types = [definition['type']].flat().filter(isType);
  const options = definition['enum'] ?? definition['options'];
  return {
    required: isRequired || definition['required'] === true,
    secret: definition['secret'] === true,
    ...(types.length > 0 && { types }),
    ...(Array.isArray(options) && { options: options as Json[] }),
    ...pick(
      definition,
      ['minimum', 'maximum', 'minLength', 'maxLength'],
      (value) => typeof value === 'number',
    ),
    ...(isMapping(definition['items']) && { items: schemaOf(definition['items']) }),
    ...(isMapping(definition['properties']) && {
      properties: schemasIn(definition['properties'], definition['required']),
    }),
    ...(definition['additionalProperties'] === false && { closed: true as const }),
    ...pick(definition, ['description', 'credential'], (value) => typeof value === 'string'),
  };
}

function isType(value: unknown): value is InputType {
  return (INPUT_TYPES as readonly unknown[]).includes(value);
}

/** Those of the keywords that have a value of the right type. */
function pick<K extends string, V>(
  definition: Record<string, unknown>,
  keys: readonly K[],
  fits: (value: unknown) => value is V,
): Partial<Record<K, V>> {
  const entries = keys.map((key) => [key, definition[key]] as const).filter(([, value]) => fits(value));
  return Object.fromEntries(entries) as Partial<Record<K, V>>;
}
