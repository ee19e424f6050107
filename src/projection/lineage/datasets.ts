/** The data that a task reads and writes, as OpenLineage names it (https://openlineage.io/docs/spec/naming). */
import { isMapping } from '../../plan';
import { accessOf, type Source, type TableName, tableNamed } from './sql-tables';

export interface Dataset {
  readonly namespace: string;
  readonly name: string;
}

export interface Datasets {
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
}

/** Where a database is: what may be shown of a credential. */
export interface Server {
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly schema?: string;
  readonly account?: string;
}

/** Looks up a credential; undefined if there is none. */
export type Servers = (credential: string) => Promise<Server | undefined>;

/** The call of a task: its kind, and its fields as far as they are known. */
export interface LineageCall {
  readonly kind: string;
  readonly config: Fields;
}

/** The fields of a tool, of an end of a transfer, of a credential. */
type Fields = Readonly<Record<string, unknown>>;

/** Without duplicates; whatever is not known is left out. */
export async function datasetsOf(call: LineageCall, servers: Servers): Promise<Datasets> {
  const { inputs, outputs } = (await KINDS[call.kind]?.(call.config, servers)) ?? NONE;
  return { inputs: distinct(inputs), outputs: distinct(outputs) };
}

const NONE: Datasets = { inputs: [], outputs: [] };

const KINDS: Readonly<Record<string, (config: Fields, servers: Servers) => Promise<Datasets> | Datasets>> = {
  postgres: (config, servers) => ofSql('postgres', config, servers),
  snowflake: (config, servers) => ofSql('snowflake', config, servers),
  duckdb: (config, servers) => ofSql('duckdb', config, servers),
  transfer,
  http: ofHttp,
  gcs: ofGcs,
  artifact: ofArtifact,
};

type SqlKind = 'postgres' | 'snowflake' | 'duckdb';
const SQL_FIELDS = ['command', 'query', 'commands', 'sql', 'statement', 'script'];

async function ofSql(kind: SqlKind, config: Fields, servers: Servers): Promise<Datasets> {
  const access = SQL_FIELDS.flatMap((field) => textsIn(config[field])).map(accessOf);
  const reads = access.flatMap((one) => one.reads);
  const writes = [...access.flatMap((one) => one.writes), ...tableIn(config['table'])];
  const { copy } = config;
  if (isMapping(copy)) {
    reads.push(...textsIn(copy['query']).flatMap((sql) => accessOf(sql).reads));
    (copy['to'] === undefined ? writes : reads).push(...tableIn(copy['table']));
  }
  if (reads.length === 0 && writes.length === 0) return NONE;
  const place = await placeOf(kind, config, servers);
  const named = (sources: readonly Source[]): Dataset[] =>
    sources.flatMap((source) => datasetOf(source, place));
  return { inputs: named(reads), outputs: named(writes) };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(textsIn) : [];
}

function tableIn(value: unknown): Source[] {
  const table = typeof value === 'string' ? tableNamed(value) : undefined;
  return table ? [{ table }] : [];
}

/** Undefined parts are unknown, as for a database in memory. */
interface Place {
  readonly kind: SqlKind;
  readonly namespace?: string;
  /** What precedes a name that is not qualified, outermost first. */
  readonly outer: readonly string[];
}

async function placeOf(kind: SqlKind, config: Fields, servers: Servers): Promise<Place> {
  if (kind === 'duckdb') return duckdbPlace(config);
  const auth = config['auth'] ?? config['credential'];
  const server = (await serverOf(auth, servers)) ?? {};
  const own = (field: 'database' | 'schema'): string | undefined =>
    typeof config[field] === 'string' ? config[field] : server[field];
  // Without the server's address, its credential stands for it.
  const stand = `noetl://credentials/${typeof auth === 'string' ? auth : 'inline'}`;
  const namespace = (kind === 'snowflake' ? snowflakeOf(server) : postgresOf(server)) ?? stand;
  const schema = own('schema') ?? (kind === 'snowflake' ? 'PUBLIC' : 'public');
  return { kind, namespace, outer: named(own('database'), schema) };
}

async function serverOf(auth: unknown, servers: Servers): Promise<Server | undefined> {
  if (typeof auth === 'string') return await servers(auth);
  return isMapping(auth) ? serverIn(auth) : undefined;
}

function snowflakeOf({ account }: Server): string | undefined {
  return account && `snowflake://${account.toLowerCase()}`;
}

function postgresOf({ host, port = '5432' }: Server): string | undefined {
  return host && `postgres://${host}:${port}`;
}

function duckdbPlace(config: Fields): Place {
  const file = ['database', 'db_path', 'path']
    .map((field) => config[field])
    .find((value) => typeof value === 'string');
  const isFile = typeof file === 'string' && file !== '' && file !== ':memory:';
  return { kind: 'duckdb', ...(isFile && { namespace: `duckdb://${file}` }), outer: ['main'] };
}

function named(...parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part): part is string => part !== undefined && part !== '');
}

function datasetOf(source: Source, place: Place): Dataset[] {
  if ('file' in source) return fileNamed(source.file);
  if (place.namespace === undefined) return [];
  const parts = partsOf(source.table, place.kind);
  // Views of the database itself.
  if (['information_schema', 'pg_catalog'].includes(parts.at(-2)?.toLowerCase() ?? '')) return [];
  const missing = Math.max(0, place.outer.length + 1 - parts.length);
  return [{ namespace: place.namespace, name: [...place.outer.slice(0, missing), ...parts].join('.') }];
}

/** As the database stores them. */
function partsOf({ parts }: TableName, kind: SqlKind): string[] {
  const fold = (text: string): string => (kind === 'snowflake' ? text.toUpperCase() : text.toLowerCase());
  return parts.map(({ text, quoted }) => (quoted ? text : fold(text)));
}

/** `gs://bucket/key`, `s3://…`, `https://…`, or a file of the worker. */
function fileNamed(text: string): Dataset[] {
  const url = /^(gs|s3|https?):\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return text === '' ? [] : [{ namespace: 'file', name: text }];
  const name = decodeURIComponent(url.pathname).replace(/^\/+/, '');
  return [{ namespace: `${url.protocol}//${url.host}`, name: name === '' ? '/' : name }];
}

async function transfer(config: Fields, servers: Servers): Promise<Datasets> {
  const end = async (side: 'source' | 'target'): Promise<Datasets> => {
    const fields = config[side];
    if (!isMapping(fields)) return NONE;
    const { kind, ...own } = fields;
    const name = TRANSFER_KINDS[String(kind).toLowerCase()] ?? String(kind).toLowerCase();
    return await datasetsOf({ kind: name, config: own }, servers);
  };
  const [source, target] = [await end('source'), await end('target')];
  // `table` of a source is read; of a target, written.
  return {
    inputs: [...source.inputs, ...source.outputs],
    outputs: [...target.outputs, ...writesTo(config['target'], target)],
  };
}

const TRANSFER_KINDS: Readonly<Record<string, string>> = {
  pg: 'postgres',
  postgresql: 'postgres',
  api: 'http',
  sf: 'snowflake',
};

/** A target over HTTP is written, whatever its method. */
function writesTo(target: unknown, { inputs }: Datasets): readonly Dataset[] {
  const kind = isMapping(target) ? String(target['kind']).toLowerCase() : '';
  return kind === 'http' || kind === 'api' ? inputs : [];
}

/** Reading for GET and HEAD, writing for POST, PUT and PATCH; without query and user. */
function ofHttp(config: Fields): Datasets {
  const address = config['url'] ?? config['endpoint'];
  if (typeof address !== 'string' || !/^https?:/.test(address) || !URL.canParse(address)) return NONE;
  const { protocol, host, pathname } = new URL(address);
  const dataset = [{ namespace: `${protocol}//${host}`, name: pathname.replace(/^\/+(?=.)/, '') }];
  const method = String(config['method'] ?? 'GET').toUpperCase();
  if (['GET', 'HEAD'].includes(method)) return { inputs: dataset, outputs: [] };
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { inputs: [], outputs: dataset } : NONE;
}

const GCS_NEITHER = new Set(['list', 'delete']);

function ofGcs({ source, destination, action }: Fields): Datasets {
  if (typeof action === 'string' && GCS_NEITHER.has(action.toLowerCase())) return NONE;
  const object = (value: unknown): Dataset[] => (typeof value === 'string' ? fileNamed(value) : []);
  return { inputs: object(source), outputs: object(destination) };
}

/** A reference names the object in the store of large results. */
function ofArtifact({ ref, result_ref, action }: Fields): Datasets {
  const reference = ref ?? result_ref;
  if (action === 'put' || !isMapping(reference)) return NONE;
  return { inputs: storedAt(reference), outputs: [] };
}

/** @param reference `{store, key, …}`, as in results and events */
export function storedAt({ store, key }: Fields): Dataset[] {
  return typeof store === 'string' && typeof key === 'string'
    ? [{ namespace: `noetl://results/${store}`, name: key }]
    : [];
}

/** What may be shown of a credential, in its spellings. */
export function serverIn(data: Fields): Server {
  const text = (...names: string[]): string | undefined => {
    const value = names
      .map((name) => data[name])
      .find((one) => typeof one === 'string' || typeof one === 'number');
    return value === undefined || value === '' ? undefined : String(value);
  };
  const dsn = text('dsn', 'url', 'connection_string', 'uri');
  const url = dsn !== undefined && URL.canParse(dsn) ? new URL(dsn) : undefined;
  const fields = {
    host: text('db_host', 'host', 'hostname') ?? url?.hostname,
    port: text('db_port', 'port') ?? (url?.port || undefined),
    database:
      text('db_name', 'database', 'dbname', 'db_database', 'db', 'sf_database') ??
      (url?.pathname.slice(1) || undefined),
    schema: text('schema', 'sf_schema'),
    account: text('sf_account', 'account'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function distinct(datasets: readonly Dataset[]): Dataset[] {
  return [...new Map(datasets.map((one) => [`${one.namespace} ${one.name}`, one])).values()];
}
