import { COPY, LIMITS, PLACE, SCRIPT, SIDE } from './field-shapes';
import { type Field, type Shape, type Type } from './shape';

const SECONDS: Type = 'duration';
const FLAG: Type = 'flag';
const TEXT: Type = 'text';
const LIST: Type = { either: ['template', { list: 'any' }] };
/** Seconds, or a mapping of them (`connect`, `read`, `total`). */
const TIMEOUT: Type = { either: [SECONDS, 'mapping'] };

/**
 * What fields of tools hold, by their name, which means one thing in all kinds. A field that is not here may hold
 * anything: it is passed on to the tool, which knows best.
 */
const TYPES: Readonly<Record<string, Type>> = {
  timeout: TIMEOUT,
  timeout_seconds: SECONDS,
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
  copy: COPY,
  script: SCRIPT,
  limits: LIMITS,
  body_file: TEXT,
  body_base64: TEXT,
  image: TEXT,
  until: TEXT,
  return_step: TEXT,
};

/** What only one kind calls by that name, or calls by it in its own way. */
const OF_KIND: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  artifact: { action: { words: ['put', 'get'] } },
  gcs: { action: { words: ['upload', 'download', 'copy', 'read', 'write', 'list', 'delete'] } },
  nats: {
    operation: {
      words: [
        ...['get', 'put', 'delete', 'purge', 'keys'].map((what) => `kv_${what}`),
        ...['get', 'put', 'info', 'list', 'delete'].map((what) => `object_${what}`),
        ...['publish', 'get_msg', 'consume', 'stream_create', 'stream_info'].map((what) => `js_${what}`),
      ],
    },
  },
  secrets: {
    provider: { words: ['credential', 'environment', 'env', 'file', 'google', 'gcp', 'aws', 'vault'] },
    // What is written into a playbook is in history.
    auth: TEXT,
  },
  container: { pull: { words: ['missing', 'always', 'never'] }, args: LIST, mounts: LIST },
  script: { args: LIST },
  transfer: { source: SIDE, target: SIDE },
};

/** Kinds whose time limit the engine keeps, where nothing is connected or read. */
const LASTING: ReadonlySet<string> = new Set(['wait', 'playbook']);

/** The type of a field of a tool. */
export function typeOfField(kind: string, key: string): Type {
  if (key === 'timeout' && LASTING.has(kind)) return SECONDS;
  const own = OF_KIND[kind];
  if (own !== undefined && Object.hasOwn(own, key)) return own[key]!;
  return Object.hasOwn(TYPES, key) ? TYPES[key]! : 'any';
}

/** The fields of a kind as a shape, for what is made from shapes. */
export function shapeOfKind(kind: string, fields: Readonly<Record<string, string>>): Shape {
  const typed = Object.entries(fields).map(([key, doc]): [string, Field] => [
    key,
    { type: typeOfField(kind, key), doc },
  ]);
  return { title: `\`${kind}\``, others: 'open', fields: Object.fromEntries(typed) };
}
