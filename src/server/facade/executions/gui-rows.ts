/** The newest rows of the profile `noetl`, as the detail of an execution has them. */
import { type CanonicalEvent, PROFILES, type Row } from '../../../history';

export interface GuiRows {
  /** Expects all events of an execution, in order from the first. */
  readonly take: (events: readonly CanonicalEvent[]) => void;
  /** The latest `keep` rows. */
  newestFirst(belongs: { catalog: string | null; parent: string | null }): Row[];
  /** How many there are. */
  readonly total: () => number;
}

/** @param query `since`: the id of a row; `keep`: so many of the latest */
export function guiRows(query: { since?: number; type?: string; keep: number }): GuiRows {
  const project = PROFILES.noetl.project();
  const { since = 0, type, keep } = query;
  let rows: Row[] = [];
  let total = 0;
  return {
    take(events) {
      for (const row of events.flatMap(project)) {
        if (Number(row['event_id']) <= since || (type !== undefined && row['event_type'] !== type)) continue;
        rows.push(row);
        total++;
        if (rows.length > 2 * keep) rows = rows.slice(-keep);
      }
    },
    newestFirst: ({ catalog, parent }) =>
      rows
        .slice(-keep)
        .map((row) => ({ ...row, catalog_id: catalog, parent_execution_id: parent }))
        .reverse(),
    total: () => total,
  };
}
