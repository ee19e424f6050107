import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Client, type Connection } from '@temporalio/client';
import { startDevServer } from '../../src/temporal';
import { checkedStop } from './check-executions';

export interface TestServer {
  readonly address: string;
  readonly ui: string;
  readonly namespace: string;
  readonly connection: Connection;
  readonly client: Client;
  /** Checks the events of all executions that were made here (check-executions.ts), unless that is done already. */
  stop(options?: { checked?: true }): Promise<void>;
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
    stop: async ({ checked } = {}) => {
      const stop = async (): Promise<void> => {
        await server.stop();
        fs.rmSync(dataDir, { recursive: true, force: true });
      };
      await (checked ? stop() : checkedStop(server.client, { query: false }, stop));
    },
  };
}
