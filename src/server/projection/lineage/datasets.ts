/** The data that a task reads and writes, as its kind declares. */
import { type ToolKind } from '../../../language/kinds/declaration';
import {
  type DatabaseNames,
  type Dataset,
  type Datasets,
  type ToolFields,
  fileNamed,
  type LineageServer,
} from '../../../language/kinds/lineage';
import { isMapping } from '../../../language/plan';
import { accessOf, type SqlSource, type SqlTableName, tableNamed } from './sql-tables';

/** What names the data of tasks. */
export interface Naming {
  /** Looks up a credential; undefined if there is none. */
  readonly servers: (credential: string) => Promise<LineageServer | undefined>;
  /** The declaration of a kind; undefined if it is unknown. */
  readonly kindOf: (kind: string) => ToolKind | undefined;
}

/** The call of a task: its kind, its fields as far as they are known, and its result once it has ended. */
export interface LineageCall {
  readonly kind: string;
  readonly config: ToolFields;
  readonly result?: unknown;
}

/** Without duplicates; whatever is not known is left out. */
export async function datasetsOf({ kind, config, result }: LineageCall, naming: Naming): Promise<Datasets> {
  const { lineage, sql = [], sides, sideKinds = {} } = naming.kindOf(kind) ?? {};
  if (sides) {
    const ends = sides.map((side, at) => ofSide(config[side], { isTarget: at > 0, sideKinds }, naming));
    return merged(await Promise.all(ends));
  }
  if (lineage === undefined) return NONE;
  if ('uses' in lineage) return merged([lineage.uses(config, result)]);
  return merged([await ofSql(lineage.database, sql, config, naming)]);
}

/** A source is read: also its `table`, which as a task of its own would be written. A request to a target writes. */
async function ofSide(
  fields: unknown,
  { isTarget, sideKinds }: { isTarget: boolean; sideKinds: Readonly<Record<string, string>> },
  naming: Naming,
): Promise<Partial<Datasets>> {
  if (!isMapping(fields)) return NONE;
  const word = String(fields['kind']).toLowerCase();
  const kind = sideKinds[word] ?? word;
  const { inputs, outputs } = await datasetsOf({ kind, config: fields }, naming);
  if (!isTarget) return { inputs: [...inputs, ...outputs] };
  return { outputs: naming.kindOf(kind)?.respondsOverHttp ? [...outputs, ...inputs] : outputs };
}

const NONE: Datasets = { inputs: [], outputs: [] };

function merged(all: readonly Partial<Datasets>[]): Datasets {
  const named = (part: keyof Datasets): Dataset[] => {
    const every = all.flatMap((one) => one[part] ?? []);
    return [...new Map(every.map((one) => [`${one.namespace} ${one.name}`, one])).values()];
  };
  return { inputs: named('inputs'), outputs: named('outputs') };
}

async function ofSql(
  database: DatabaseNames,
  fields: readonly string[],
  config: ToolFields,
  { servers }: Naming,
): Promise<Datasets> {
  const access = fields.flatMap((field) => textsIn(config[field])).map(accessOf);
  const reads = access.flatMap((one) => one.reads);
  const writes = [...access.flatMap((one) => one.writes), ...tableIn(config['table'])];
  if (reads.length === 0 && writes.length === 0) return NONE;
  const place = await placeOf(database, config, servers);
  const named = (sources: readonly SqlSource[]): Dataset[] =>
    sources.flatMap((source) => datasetOf(source, place));
  return { inputs: named(reads), outputs: named(writes) };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(textsIn) : [];
}

function tableIn(value: unknown): SqlSource[] {
  const table = typeof value === 'string' ? tableNamed(value) : undefined;
  return table ? [{ table }] : [];
}

interface Place {
  readonly fold: DatabaseNames['fold'];
  /** Undefined for a database that nothing else can name. */
  readonly namespace?: string;
  /** What precedes a name that is not qualified, outermost first. */
  readonly outer: readonly string[];
}

async function placeOf(
  { namespace, schema, fold, isLocal }: DatabaseNames,
  config: ToolFields,
  servers: Naming['servers'],
): Promise<Place> {
  if (isLocal) return { fold, namespace: namespace({}, config), outer: [schema] };
  const auth = config['auth'] ?? config['credential'];
  const server = (await serverOf(auth, servers)) ?? {};
  const own = (field: 'database' | 'schema'): string | undefined =>
    typeof config[field] === 'string' ? config[field] : server[field];
  // Without the server's address, its credential stands for it.
  const stand = `noetl://credentials/${typeof auth === 'string' ? auth : 'inline'}`;
  const outer = [own('database'), own('schema') ?? schema];
  return {
    fold,
    namespace: namespace(server, config) ?? stand,
    outer: outer.filter((part): part is string => part !== undefined && part !== ''),
  };
}

async function serverOf(auth: unknown, servers: Naming['servers']): Promise<LineageServer | undefined> {
  if (typeof auth === 'string') return await servers(auth);
  return isMapping(auth) ? serverIn(auth) : undefined;
}

function datasetOf(source: SqlSource, { fold, namespace, outer }: Place): Dataset[] {
  if ('file' in source) return fileNamed(source.file);
  if (namespace === undefined) return [];
  const parts = partsOf(source.table, fold);
  // Views of the database itself.
  if (['information_schema', 'pg_catalog'].includes(parts.at(-2)?.toLowerCase() ?? '')) return [];
  const missing = Math.max(0, outer.length + 1 - parts.length);
  return [{ namespace, name: [...outer.slice(0, missing), ...parts].join('.') }];
}

/** As the database stores them. */
function partsOf({ parts }: SqlTableName, fold: Place['fold']): string[] {
  return parts.map(({ text, quoted }) =>
    quoted ? text : fold === 'upper' ? text.toUpperCase() : text.toLowerCase(),
  );
}

/** What may be shown of a credential, in its spellings. */
export function serverIn(data: ToolFields): LineageServer {
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
