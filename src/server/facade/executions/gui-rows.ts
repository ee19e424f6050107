/**
 * Events for the official GUI: rows of the profile `noetl` with numeric ids, because the GUI converts them
 * (`Number(event_id)`), sorts by them and requests the rows after the greatest.
 */
import { type CanonicalEvent, PROFILES, type Row } from '../../../history';

export interface GuiRows {
  /** Expects all events of an execution, in order from the first. */
  readonly take: (events: readonly CanonicalEvent[]) => void;
  /** The latest `keep` rows. */
  newestFirst(belongs: { catalog: string | null; parent: string | null }): Row[];
  /** How many there are. */
  readonly total: () => number;
}

/**
 * @param query `since`: an id of a row or of the canonical event; with an unknown id all rows are returned. `keep`: so
 *   many of the latest
 */
export function guiRows(query: { since?: string; type?: string; keep: number }): GuiRows {
  const project = PROFILES.noetl.project();
  const numbers = new Map<string, string>();
  let rows: Row[] = [];
  let total = 0;
  let after = query.since !== undefined && /^\d+$/.test(query.since) ? Number(query.since) : 0;
  return {
    take(events) {
      for (const event of events) {
        numbers.set(event.event_id, String(event.seq));
        if (event.event_id === query.since) {
          after = event.seq;
          rows = [];
          total = 0;
        }
        const projected = project(event);
        if (event.seq <= after || (query.type !== undefined && event.event_type !== query.type)) continue;
        for (const row of projected) {
          const parent = numbers.get(String(row['parent_event_id'])) ?? null;
          rows.push({ ...row, event_id: String(event.seq), parent_event_id: parent });
          total++;
        }
        if (rows.length > 2 * query.keep) rows = rows.slice(-query.keep);
      }
    },
    newestFirst: ({ catalog, parent }) =>
      rows
        .slice(-query.keep)
        .map((row) => ({ ...row, catalog_id: catalog, parent_execution_id: parent }))
        .reverse(),
    total: () => total,
  };
}
