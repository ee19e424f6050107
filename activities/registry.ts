/** Every tool kind. A new one is a file and a line here (and its timeouts in src/plan/kinds.ts). */
import { artifact } from './kinds/artifact/run';
import { container } from './kinds/container/run';
import { duckdb } from './kinds/duckdb/run';
import { gcs } from './kinds/gcs/run';
import { http } from './kinds/http/run';
import { nats } from './kinds/nats/run';
import { postgres } from './kinds/postgres/run';
import { python } from './kinds/python/run';
import { script } from './kinds/script/run';
import { secrets } from './kinds/secrets/run';
import { shell } from './kinds/shell/run';
import { snowflake } from './kinds/snowflake/run';
import { type Tool } from './framework/tool/tool';
import { transfer } from './kinds/transfer/run';

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
