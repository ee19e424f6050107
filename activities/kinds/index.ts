/** The tool kinds: one row and one folder each, with `kind.ts` (its declaration) and `run.ts` (its implementation). */
import { type KindDeclaration } from '../../src/kinds/declaration';
import { artifact } from './artifact/kind';
import { container } from './container/kind';
import { duckdb } from './duckdb/kind';
import { gcs } from './gcs/kind';
import { http } from './http/kind';
import { nats } from './nats/kind';
import { postgres } from './postgres/kind';
import { python } from './python/kind';
import { script } from './script/kind';
import { secrets } from './secrets/kind';
import { shell } from './shell/kind';
import { snowflake } from './snowflake/kind';
import { transfer } from './transfer/kind';

export const TOOL_KINDS = {
  http,
  python,
  postgres,
  duckdb,
  shell,
  script,
  container,
  artifact,
  gcs,
  snowflake,
  transfer,
  nats,
  secrets,
} as const satisfies Readonly<Record<string, KindDeclaration>>;
