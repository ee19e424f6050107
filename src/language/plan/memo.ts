/** The memo of an execution, for lists that read no histories. */
import { type Plan } from './plan';

/** The catalog version it runs. */
export interface CatalogMemo {
  readonly noetl_catalog?: { readonly catalog_id: string; readonly version: number };
}

/** After continue-as-new: start time of the first Temporal run, which the latest does not show. */
export interface StartedMemo {
  /** Milliseconds since the epoch. */
  readonly noetl_started?: number;
}

export function catalogMemo({ source }: Plan): CatalogMemo {
  if (!source.catalog) return {};
  return { noetl_catalog: { catalog_id: source.catalog.id, version: source.catalog.version } };
}
