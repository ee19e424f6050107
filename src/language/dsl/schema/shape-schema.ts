import { type SchemaField, type SchemaShape, type Type } from './shape';
import { type SchemaJson } from './json-schema-tools';

interface ShapeSchemas {
  /** The schema of the shape; nested shapes become definitions. */
  readonly ofShape: (shape: SchemaShape) => SchemaJson;
  /** Filled during translation; callers may add definitions. */
  readonly definitions: Map<string, SchemaJson>;
}

/**
 * Translates the checker's tables to JSON Schema.
 *
 * @param special replaces the type of a key whose schema a table cannot express
 */
export function shapeSchemas(
  special: (shape: SchemaShape, key: string) => SchemaJson | undefined,
): ShapeSchemas {
  const definitions = new Map<string, SchemaJson>();
  const named = new Map<SchemaShape, string>();

  /** A reference to the definition of the shape, which is created on first use. */
  function reference(shape: SchemaShape): SchemaJson {
    let name = named.get(shape);
    if (name === undefined) {
      name = unusedName(shape.title, definitions);
      named.set(shape, name);
      definitions.set(name, {});
      definitions.set(name, ofShape(shape));
    }
    return { $ref: `#/definitions/${name}` };
  }

  /** Null is accepted for optional keys: `next:` without a value is still being written. */
  function ofShape(shape: SchemaShape): SchemaJson {
    const required = Object.keys(shape.fields).filter((key) => shape.fields[key]!.required);
    return {
      type: ['object', 'null'],
      properties: Object.fromEntries(
        Object.entries(shape.fields).map(([key, field]) => [key, ofField(field, special(shape, key))]),
      ),
      ...(required.length > 0 ? { required } : {}),
      ...(shape.others === 'open' || shape.others === 'judged' ? {} : { additionalProperties: false }),
    };
  }

  function ofField(field: SchemaField, instead?: SchemaJson): SchemaJson {
    if (field.rejected !== undefined) return refused(field);
    const isSure = field.required ?? (field.placeholder !== undefined || field.type === 'condition');
    const type = instead ?? ofType(field.type, isSure);
    const old = field.deprecated;
    const notes =
      old === undefined
        ? {}
        : { deprecated: true, deprecationMessage: `Old spelling: ${old.hint}.`, doNotSuggest: true };
    const whole = besideReference(field.numberAs ? { anyOf: [type, { type: 'number' }] } : type);
    return { description: field.doc, ...(field.placeholder ? {} : whole), ...notes };
  }

  function ofType(type: Type, present: boolean): SchemaJson {
    if (typeof type === 'string') return present ? SIMPLE[type] : orNothing(SIMPLE[type]);
    if ('values' in type) return { enum: type.values };
    if ('words' in type) return anyCase(type.words);
    if ('shape' in type) return present ? sure('object', reference(type.shape())) : reference(type.shape());
    if ('list' in type)
      return { type: present ? 'array' : ['array', 'null'], items: ofType(type.list, true) };
    return ofAlternatives(type.either, present);
  }

  /** The alternatives differ by node kind, so `any` beside a shape means anything except a mapping. */
  function ofAlternatives(either: readonly Type[], present: boolean): SchemaJson {
    const [first, second] = either;
    if (second === 'any' && first !== undefined) {
      return { if: { type: 'object' }, then: ofType(first, true) };
    }
    const anyOf = either.map((each, i) => ofType(each, present || i > 0));
    return { anyOf };
  }

  return { ofShape, definitions };
}

/**
 * By what a schema is known to editors and catalogs of schemas. The second number of its version rises when it accepts more, the
 * first when it refuses something that it accepted.
 */
export function schemaIdentity(name: string): SchemaJson {
  const folder = 'https://raw.githubusercontent.com/noetl/noetl-temporal/main/docs/reference';
  return { $id: `${folder}/${name}.schema.json`, version: '1.0' };
}

/** Sorted by name, so that generated output changes only with the tables. */
export function sorted(definitions: ReadonlyMap<string, SchemaJson>): SchemaJson {
  return Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A template, or a quoted number. */
const AMOUNT_TEXT = {
  type: 'string',
  pattern: '\\{\\{|^\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*$',
};

/** `1h30m`, or ISO 8601 (which the compiler checks completely). */
const DURATION_TEXT = {
  type: 'string',
  pattern: '^\\s*([Pp]|(\\d+(\\.\\d+)?\\s*(ms|[wdhms])\\s*)+$)',
};

const SIMPLE: Readonly<Record<Type & string, SchemaJson>> = {
  text: { type: ['string', 'number', 'boolean'] },
  name: { type: 'string', pattern: '^(?![\\s\\S]*\\{\\{)[\\s\\S]*\\S' },
  boolean: { type: 'boolean' },
  amount: { anyOf: [{ type: 'number', minimum: 0 }, AMOUNT_TEXT] },
  duration: { anyOf: [{ type: 'number', minimum: 0 }, AMOUNT_TEXT, DURATION_TEXT] },
  limit: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, AMOUNT_TEXT, DURATION_TEXT] },
  count: { anyOf: [{ type: 'integer', minimum: 1 }, AMOUNT_TEXT] },
  condition: { type: ['boolean', 'string'] },
  flag: { anyOf: [{ type: 'boolean' }, { type: 'string', pattern: '\\{\\{' }] },
  template: { type: 'string', pattern: '\\{\\{' },
  any: {},
  mapping: { type: 'object' },
};

/** Editors suggest the words; any case is accepted. */
function anyCase(words: readonly string[]): SchemaJson {
  const letters = (word: string): string =>
    [...word].map((each) => `[${each.toUpperCase()}${each.toLowerCase()}]`).join('');
  return {
    anyOf: [{ enum: words }, { type: 'string', pattern: `\\{\\{|^(${words.map(letters).join('|')})$` }],
  };
}

function orNothing(schema: SchemaJson): SchemaJson {
  const { type, anyOf } = schema;
  if (type !== undefined) return { ...schema, type: [type, 'null'].flat() };
  return Array.isArray(anyOf) ? { anyOf: [...(anyOf as SchemaJson[]), { type: 'null' }] } : schema;
}

/** Draft 07 ignores keywords beside a `$ref`. */
function besideReference(schema: SchemaJson): SchemaJson {
  return '$ref' in schema ? { allOf: [schema] } : schema;
}

function sure(type: string, schema: SchemaJson): SchemaJson {
  return { type, allOf: [schema] };
}

/** A rejected key, with what to write instead. */
function refused(field: SchemaField): SchemaJson {
  const { message, hint } = field.rejected!;
  return {
    not: {},
    description: `Not allowed: ${message}.`,
    errorMessage: `${message}: ${hint}`,
    deprecationMessage: hint,
    doNotSuggest: true,
  };
}

/** `the policy of a step` → `policy_of_a_step`. */
function unusedName(title: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = title
    .replace(/^(an?|the) /, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  if (!taken.has(plain)) return plain;
  for (let i = 2; ; i += 1) if (!taken.has(`${plain}_${i}`)) return `${plain}_${i}`;
}
