/** Where the servers of this folder keep their data. */
import path from 'node:path';

/** `--data`, else NOETL_DATA_DIR, else `.noetl` in this folder. */
export function dataFolder(option: string | undefined): string {
  return path.resolve(option ?? process.env.NOETL_DATA_DIR ?? '.noetl');
}
