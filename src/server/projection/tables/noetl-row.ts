/**
 * Converts rows of the profile `noetl` to those of noetl.event_row and back: the view noetl.event adds their results, which are
 * those of canonical events.
 */
import { type CanonicalEvent, type NoetlRow, type Row } from '../../../history';

/** Columns of noetl.event_row, with their types. The others of the view noetl.event follow from them. */
export const NOETL_COLUMNS = {
  ...{ execution_id: 'bigint', event_id: 'integer', seq: 'integer', result_seq: 'integer' },
  ...{ catalog_id: 'bigint', parent_execution_id: 'bigint', parent_event_id: 'integer', event_type: 'text' },
  ...{ node_name: 'text', node_type: 'text', status: 'text', created_at: 'timestamptz' },
  ...{ duration: 'double precision', context: 'jsonb' },
} as const;

/** The part of a row that its event does not have. */
export type NoetlColumns = Readonly<
  Record<Exclude<keyof typeof NOETL_COLUMNS, 'execution_id' | 'seq' | 'created_at'>, unknown>
>;

/** @param shift of positions */
export function noetlColumns({ row, of }: NoetlRow, shift: number): NoetlColumns {
  const { event_id, parent_event_id, catalog_id, parent_execution_id, event_type, ...more } = row;
  const { node_name, node_type, status, duration, context } = more;
  const result_seq = of === undefined ? null : of + shift;
  const about = {
    catalog_id,
    parent_execution_id,
    event_type,
    node_name,
    node_type,
    status,
    duration,
    context,
  };
  return { event_id, parent_event_id, result_seq, ...about };
}

/** The rows of events, numbered from `first`: of an execution whose beginning is forgotten, not as they were told. */
export function noetlRowsOf(
  items: readonly { readonly event: CanonicalEvent; readonly rows: readonly NoetlColumns[] }[],
  first: number,
): object[] {
  const all = items.flatMap(({ event: { execution_id, seq, timestamp: created_at }, rows }) =>
    rows.map((row) => ({ execution_id, seq, created_at, ...row })),
  );
  const shift = first - Number(all[0]?.event_id);
  if (shift === 0) return all;
  const shifted = (id: unknown): number | null => (id === null ? null : Number(id) + shift);
  return all.map((row) => ({
    ...row,
    event_id: shifted(row.event_id),
    parent_event_id: shifted(row.parent_event_id),
  }));
}

/** A row of the view noetl.event, as the profile tells it. */
export function noetlRow(row: Readonly<Record<string, unknown>>): Row {
  const time = new Date(row['created_at'] as string | Date).toISOString();
  const text = (id: unknown): string | null => (id === null ? null : String(id as number));
  return {
    ...row,
    event_id: text(row['event_id']),
    parent_event_id: text(row['parent_event_id']),
    duration: row['duration'] === null ? null : Number(row['duration']),
    created_at: time,
    timestamp: time,
  };
}
