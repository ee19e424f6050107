import { quotedColumn } from './columns';
import { type TableWrite } from './request';

/** The clause of an upsert in the dialect of Postgres and DuckDB; empty for other modes. */
export function onConflict({ mode }: TableWrite, columns: readonly string[], key: readonly string[]): string {
  if (mode !== 'upsert') return '';
  const others = columns.filter((column) => !key.includes(column)).map(quotedColumn);
  const target = ` on conflict (${key.map(quotedColumn).join(', ')}) do `;
  if (others.length === 0) return `${target}nothing`;
  return `${target}update set ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}
