/**
 * What `metadata.workload` says of the inputs of a playbook: a mapping from key to a schema, in the words of JSON
 * Schema. Submissions and calls are checked against it, and forms are made of it.
 */
import { isMapping, type Json, type JsonObject } from '../json';

export const INPUT_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** Of one input, or of a part of it. What is not said is not checked. */
export interface InputSchema {
  readonly types?: readonly InputType[];
  /** Has to be given, or to have a default other than null. */
  readonly required: boolean;
  readonly options?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: InputSchema;
  readonly properties?: ReadonlyMap<string, InputSchema>;
  readonly description?: string;
  readonly secret: boolean;
  /** A pattern of names of credentials, e.g. `pg_*`: the input names one. */
  readonly credential?: string;
}

/** The schemas of a playbook's inputs, by key; parts that make no sense are left out. */
export function inputSchemas(playbook: JsonObject): ReadonlyMap<string, InputSchema> {
  const metadata = playbook['metadata'];
  return schemasIn(isMapping(metadata) ? metadata['workload'] : undefined);
}

/** @param value `metadata.workload` */
export function schemasIn(value: unknown): ReadonlyMap<string, InputSchema> {
  const entries = isMapping(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([key, definition]) =>
      isMapping(definition) ? [[key, schemaOf(definition)] as const] : [],
    ),
  );
}

function schemaOf(definition: Record<string, unknown>): InputSchema {
  const types = [definition['type']].flat().filter(isType);
  const options = definition['enum'] ?? definition['options'];
  return {
    required: definition['required'] === true,
    secret: definition['secret'] === true,
    ...(types.length > 0 && { types }),
    ...(Array.isArray(options) && { options: options as Json[] }),
    ...numbers(definition, ['minimum', 'maximum', 'minLength', 'maxLength']),
    ...(isMapping(definition['items']) && { items: schemaOf(definition['items']) }),
    ...(isMapping(definition['properties']) && { properties: schemasIn(definition['properties']) }),
    ...texts(definition, ['description', 'credential']),
  };
}

function isType(value: unknown): value is InputType {
  return (INPUT_TYPES as readonly unknown[]).includes(value);
}

function numbers<K extends string>(
  definition: Record<string, unknown>,
  keys: readonly K[],
): Partial<Record<K, number>> {
  return pick(definition, keys, (value) => typeof value === 'number') as Partial<Record<K, number>>;
}

function texts<K extends string>(
  definition: Record<string, unknown>,
  keys: readonly K[],
): Partial<Record<K, string>> {
  return pick(definition, keys, (value) => typeof value === 'string') as Partial<Record<K, string>>;
}

function pick(
  definition: Record<string, unknown>,
  keys: readonly string[],
  fits: (value: unknown) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (fits(definition[key]) ? [[key, definition[key]]] : [])));
}
