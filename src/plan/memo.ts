/** What the memo of an execution says, for lists that read no histories. */
import { type Plan } from './plan';

/** Which version of a catalog it runs. */
export interface CatalogMemo {
  readonly noetl_catalog?: { readonly catalog_id: string; readonly version: number };
}

/** Of one that continued as new: when its first Temporal run began, which the latest does not tell. */
export interface StartedMemo {
  /** Milliseconds since the epoch. */
  readonly noetl_started?: number;
}

export function catalogMemo({ source }: Plan): CatalogMemo {
  if (!source.catalog) return {};
  return { noetl_catalog: { catalog_id: source.catalog.id, version: source.catalog.version } };
}
