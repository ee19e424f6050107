/** A folder of DuckDB's extensions from PyPI, where they are also to be had; DuckDB itself fetches them from its server. */
import fs from 'node:fs';
import path from 'node:path';
import { present } from './present';
import { pythonVenv } from './python-venv';

const VERSION = '1.5.5';

/** For NOETL_DUCKDB_EXTENSIONS: with `ducklake`, `postgres_scanner` and `httpfs`. @throws Missing where PyPI cannot be reached */
export async function duckdbExtensions(): Promise<string> {
  const made = present(
    await pythonVenv(
      ['ducklake', 'postgres-scanner', 'httpfs'].map((name) => `duckdb-extension-${name}==${VERSION}`),
    ),
  );
  const venv = path.dirname(made.bin);
  const folder = path.join(venv, 'extensions');
  const platform = `${process.platform === 'darwin' ? 'osx' : 'linux'}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const target = path.join(folder, `v${VERSION}`, platform);
  if (fs.existsSync(target)) return folder;
  // Whoever comes second finds all of them or none.
  const making = fs.mkdtempSync(path.join(venv, 'making-'));
  for (const entry of fs.readdirSync(venv, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.duckdb_extension') || entry.parentPath.startsWith(making)) continue;
    fs.copyFileSync(path.join(entry.parentPath, entry.name), path.join(making, entry.name));
  }
  fs.mkdirSync(path.dirname(target), { recursive: true });
  try {
    fs.renameSync(making, target);
  } catch (error) {
    if (!fs.existsSync(target)) throw error;
  }
  return folder;
}
