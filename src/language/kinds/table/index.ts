/** The tool kinds: one row and one folder each, with `kind.ts` (its declaration) and `run.ts` (its implementation). */
import { type KindDeclaration } from '../declaration';
import { artifact } from './artifact';
import { container } from './container';
import { duckdb } from './duckdb';
import { gcs } from './gcs';
import { http } from './http';
import { nats } from './nats';
import { postgres } from './postgres';
import { python } from './python';
import { script } from './script';
import { secrets } from './secrets';
import { shell } from './shell';
import { snowflake } from './snowflake';
import { transfer } from './transfer';

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
