/** Every tool kind. A new one is a file and a line here (and its timeouts in src/plan/kinds.ts). */
import { artifact } from './artifact';
import { container } from './container';
import { duckdb } from './duckdb';
import { gcs } from './gcs';
import { http } from './http';
import { nats } from './nats';
import { postgres } from './postgres';
import { python } from './python';
import { script } from './run-script';
import { secrets } from './secrets';
import { shell } from './shell';
import { snowflake } from './snowflake';
import { type Tool } from './tool';
import { transfer } from './transfer';

const tools: readonly Tool[] = [
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
];

export const registry: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.kind, tool]));

/** The kinds that run as activities. */
export const toolKinds: readonly string[] = [...registry.keys()];

/** Gives back what the tools keep between tasks, those of extensions too; a tool may be used again afterwards. */
export async function closeTools(extensions: readonly Tool[]): Promise<void> {
  await Promise.all([...registry.values(), ...extensions].map((tool) => tool.close?.()));
}
