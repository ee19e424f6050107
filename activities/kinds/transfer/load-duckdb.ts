import { optionalPackage } from '../../framework/tool/optional-package';
import type * as DuckdbEnd from './duckdb-end';

/** @throws ToolError `PACKAGE_MISSING` */
export function loadDuckdb(): Promise<typeof DuckdbEnd> {
  return optionalPackage('duckdb', '@duckdb/node-api', async () => {
    // oxlint-disable-next-line typescript/no-require-imports -- loads on demand, in tests of the sources too
    return require('./duckdb-end') as typeof DuckdbEnd;
  });
}
