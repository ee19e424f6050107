/** The tool kinds: one row each, a declaration beside this file, and a folder `activities/kinds/<kind>` with what it does (`run.ts`). */
import { type KindDeclaration } from '../declaration';
import { agentKind } from './agent';
import { artifactKind } from './artifact';
import { containerKind } from './container';
import { duckdbKind } from './duckdb';
import { gcsKind } from './gcs';
import { httpKind } from './http';
import { mcpKind } from './mcp';
import { natsKind } from './nats';
import { postgresKind } from './postgres';
import { pythonKind } from './python';
import { scriptKind } from './script';
import { secretsKind } from './secrets';
import { shellKind } from './shell';
import { snowflakeKind } from './snowflake';
import { transferKind } from './transfer';

export const KIND_TABLE = {
  http: httpKind,
  python: pythonKind,
  postgres: postgresKind,
  duckdb: duckdbKind,
  shell: shellKind,
  script: scriptKind,
  container: containerKind,
  artifact: artifactKind,
  gcs: gcsKind,
  snowflake: snowflakeKind,
  transfer: transferKind,
  nats: natsKind,
  mcp: mcpKind,
  agent: agentKind,
  secrets: secretsKind,
} as const satisfies Readonly<Record<string, KindDeclaration>>;
