import { type ToolKind } from '../../kinds/declaration';
import { PLACE } from '../../kinds/fields';
import { SCRIPT } from './field-shapes';
import { type SchemaField, type SchemaShape, type Type } from './shape';

const SECONDS: Type = 'duration';
const LIMIT: Type = 'limit';
const FLAG: Type = 'flag';
const TEXT: Type = 'text';
/** Seconds, or a mapping of them (`connect`, `read`, `total`). */
const TIMEOUT: Type = { either: [LIMIT, 'mapping'] };

/**
 * Types of tool fields, by name, with the same meaning in all kinds. Fields not listed accept any value, which the
 * tool checks.
 */
const TYPES: Readonly<Record<string, Type>> = {
  timeout: TIMEOUT,
  timeout_seconds: LIMIT,
  statement_timeout: SECONDS,
  for: SECONDS,
  memory_mb: 'count',
  max_response_bytes: 'count',
  follow_redirects: FLAG,
  verify_ssl: FLAG,
  verify: FLAG,
  transaction: FLAG,
  auto_secrets: FLAG,
  as_objects: FLAG,
  url: TEXT,
  endpoint: TEXT,
  method: { words: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] },
  response_type: { words: ['json', 'text', 'binary'] },
  table: TEXT,
  database: TEXT,
  db_path: TEXT,
  cwd: TEXT,
  save_to: PLACE,
  script: SCRIPT,
  body_file: TEXT,
  body_base64: TEXT,
  image: TEXT,
  until: TEXT,
  return_step: TEXT,
  result_step: TEXT,
  entrypoint: TEXT,
};

/** The type of a tool's field. */
export function typeOfField({ types = {} }: ToolKind, key: string): Type {
  if (Object.hasOwn(types, key)) return types[key]!;
  return Object.hasOwn(TYPES, key) ? TYPES[key]! : 'any';
}

/** The fields of a kind as a shape. */
export function shapeOfKind(name: string, kind: ToolKind): SchemaShape {
  const typed = Object.entries(kind.fields).map(([key, doc]): [string, SchemaField] => [
    key,
    { type: typeOfField(kind, key), doc },
  ]);
  return { title: `\`${name}\``, others: 'open', fields: Object.fromEntries(typed) };
}
