import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Client, type Connection } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { openStorage } from '../../src/storage/blobs';
import { startDevServer } from '../../src/temporal/client';
import { installRuntime, startWorkers } from '../../src/temporal/worker';
import { checkedStop } from './check-executions';

export interface TestServer {
  readonly address: string;
  readonly ui: string;
  readonly namespace: string;
  readonly connection: Connection;
  readonly client: Client;
  /**
   * Checks the events of all executions that were made here (check-executions.ts), unless that is done already; with
   * `query` also that the runs say the same of themselves, for which a worker is started.
   */
  stop(options?: { checked?: true; query?: true }): Promise<void>;
}

/** A tuned Temporal server in memory, on free ports, of this test alone; our search attributes are registered. */
export async function startTestServer(dynamicConfig: readonly string[] = []): Promise<TestServer> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-test-'));
  const { dataConverter } = await openStorage('none');
  const server = await startDevServer({
    dataDir,
    inMemory: true,
    namespace: 'default',
    dynamicConfig,
    dataConverter,
  });
  return {
    address: server.address,
    ui: server.ui,
    namespace: server.namespace,
    connection: server.connection,
    client: server.client,
    stop: async ({ checked, query = false } = {}) => {
      const worker = query ? await startAnswering(server, dataConverter) : undefined;
      const stop = async (): Promise<void> => {
        await worker?.stop();
        await server.stop();
        fs.rmSync(dataDir, { recursive: true, force: true });
      };
      await (checked ? stop() : checkedStop(server.client, { query }, stop));
    },
  };
}

/** A worker that runs no task: it answers what runs are asked. */
async function startAnswering(
  { address, namespace }: { address: string; namespace: string },
  dataConverter: DataConverter,
): Promise<{ stop(): Promise<void> }> {
  installRuntime();
  const connection = await NativeConnection.connect({ address });
  const workers = await startWorkers({ connection, namespace, kinds: [], workflows: true, dataConverter });
  return {
    stop: async () => {
      await workers.stop({ graceMs: 0 });
      await connection.close();
    },
  };
}
