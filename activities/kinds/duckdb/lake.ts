/** A DuckLake: tables as files of `data_path`, described by the catalog in `catalog_connection`, a database of its own. */
import { type TaskCall } from '../../../src/language/plan';
import { textField } from '../../framework/tool/fields';
import { type Connection } from './process/connection';
import { loadExtension, sqlLiteral } from './secrets';

/** Attaches the lake that the task names, so that its SQL reads and writes its tables. @throws ToolError `EXTENSION_MISSING` */
export async function attachLake(connection: Connection, call: TaskCall): Promise<void> {
  const catalog = textField(call, 'catalog_connection');
  if (catalog === undefined) return;
  await loadExtension(connection, 'ducklake');
  const name = `"${(textField(call, 'catalog_name') ?? 'lake').replaceAll('"', '""')}"`;
  const files = textField(call, 'data_path');
  const options = files === undefined ? '' : ` (data_path ${sqlLiteral(files)})`;
  const place = sqlLiteral(`ducklake:${catalog.replace(/^ducklake:/, '')}`);
  await connection.run(`attach if not exists ${place} as ${name}${options}`);
  await connection.run(`use ${name}`);
}
