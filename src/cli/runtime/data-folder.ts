/** The folder for the data of local servers. */
import path from 'node:path';

/** `--data`, else NOETL_DATA_DIR, else `.noetl` in the current folder. */
export function dataFolder(option: string | undefined): string {
  return path.resolve(option ?? process.env.NOETL_DATA_DIR ?? '.noetl');
}
