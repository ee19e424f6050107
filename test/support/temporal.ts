import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Client, type Connection } from '@temporalio/client';
import { startDevServer } from '../../src/temporal';

export interface TestServer {
  readonly address: string;
  readonly ui: string;
  readonly namespace: string;
  readonly connection: Connection;
  readonly client: Client;
  stop(): Promise<void>;
}

/** A tuned Temporal server in memory, on free ports, of this test alone; our search attributes are registered. */
export async function startTestServer(dynamicConfig: readonly string[] = []): Promise<TestServer> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-test-'));
  const server = await startDevServer({ dataDir, inMemory: true, namespace: 'default', dynamicConfig });
  return {
    address: server.address,
    ui: server.ui,
    namespace: server.namespace,
    connection: server.connection,
    client: server.client,
    stop: async () => {
      await server.stop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
