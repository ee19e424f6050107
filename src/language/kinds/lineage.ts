/** The data that tasks read and write, as OpenLineage names it (https://openlineage.io/docs/spec/naming). */
import { isMapping } from '../plan/json';

export interface Dataset {
  readonly namespace: string;
  readonly name: string;
}

export interface Datasets {
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
}

/** The fields of a tool, of an end of a transfer, of a credential. */
export type ToolFields = Readonly<Record<string, unknown>>;

/** Where a database is: what may be shown of a credential. */
export interface LineageServer {
  readonly host?: string;
  readonly port?: string;
  readonly database?: string;
  readonly schema?: string;
  readonly account?: string;
}

/** How a database names the tables of its SQL. */
export interface DatabaseNames {
  /** Its own name; undefined if the fields and the credential do not tell. */
  readonly namespace: (server: LineageServer, fields: ToolFields) => string | undefined;
  /** The schema of a table without one. */
  readonly schema: string;
  /** The case of a name without quotes. */
  readonly fold: 'lower' | 'upper';
  /** It belongs to the worker: a file, or in memory, behind no credential. */
  readonly isLocal?: true;
}

/** What a kind declares of its lineage: tables of its SQL, or what its fields name. */
export type Lineage =
  | { readonly database: DatabaseNames }
  /** @param result of a task that has ended */
  | { readonly uses: (fields: ToolFields, result?: unknown) => Partial<Datasets> };

/** `gs://bucket/key`, `s3://…`, `https://…`, or a file of the worker. */
export function fileNamed(text: string): Dataset[] {
  const url = /^(gs|s3|https?):\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return text === '' ? [] : [{ namespace: 'file', name: text }];
  const name = decodeURIComponent(url.pathname).replace(/^\/+/, '');
  return [{ namespace: `${url.protocol}//${url.host}`, name: name === '' ? '/' : name }];
}

/** The object in the store of large results that a reference names: `{store, key, …}`, as in results and events. */
export function storedAt(reference: unknown): Dataset[] {
  if (!isMapping(reference)) return [];
  const { store, key } = reference as ToolFields;
  return typeof store === 'string' && typeof key === 'string'
    ? [{ namespace: `noetl://results/${store}`, name: key }]
    : [];
}
