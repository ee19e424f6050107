/**
 * Events for the official GUI: rows of the profile `noetl` with numeric ids, because the GUI converts them
 * (`Number(event_id)`), sorts by them and requests the rows after the greatest.
 */
import { type CanonicalEvent, PROFILES, type Row } from '../../history';

export interface GuiRows {
  /** Expects all events of an execution, in order from the first. */
  readonly take: (events: readonly CanonicalEvent[]) => void;
  newestFirst(belongs: { catalog: string | null; parent: string | null }): Row[];
}

/** @param query `since`: an id of a row or of the canonical event; with an unknown id all rows are returned */
export function guiRows(query: { since?: string; type?: string }): GuiRows {
  const project = PROFILES.noetl.project();
  const numbers = new Map<string, string>();
  const rows: Row[] = [];
  let after = query.since !== undefined && /^\d+$/.test(query.since) ? Number(query.since) : 0;
  return {
    take(events) {
      for (const event of events) {
        numbers.set(event.event_id, String(event.seq));
        if (event.event_id === query.since) {
          after = event.seq;
          rows.length = 0;
        }
        const projected = project(event);
        if (event.seq <= after || (query.type !== undefined && event.event_type !== query.type)) continue;
        for (const row of projected) {
          const parent = numbers.get(String(row['parent_event_id'])) ?? null;
          rows.push({ ...row, event_id: String(event.seq), parent_event_id: parent });
        }
      }
    },
    newestFirst: ({ catalog, parent }) =>
      rows.map((row) => ({ ...row, catalog_id: catalog, parent_execution_id: parent })).reverse(),
  };
}
