/** Temporal, Postgres and an address for a facade, for benchmarks that start the processes themselves. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureEmbeddedPostgres } from '../src/server/store';
import { freePort, startDevServer } from '../src/temporal/client';

export interface BenchPlace {
  readonly server: Awaited<ReturnType<typeof startDevServer>>;
  readonly postgres: Awaited<ReturnType<typeof ensureEmbeddedPostgres>>;
  readonly port: number;
  readonly url: string;
  /** Of each process. */
  readonly env: {
    readonly TEMPORAL_ADDRESS: string;
    readonly DATABASE_URL: string;
    readonly NOETL_STORAGE: string;
  };
  /** After the processes have ended. */
  stop(): Promise<void>;
}

export async function benchPlace(): Promise<BenchPlace> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  fs.chmodSync(dataDir, 0o755); // as root, Postgres runs as its own user
  const server = await startDevServer({ dataDir, namespace: 'default' });
  const postgres = await ensureEmbeddedPostgres(dataDir, {});
  const port = await freePort();
  const env = { TEMPORAL_ADDRESS: server.address, DATABASE_URL: postgres.url, NOETL_STORAGE: 'none' };
  const stop = async (): Promise<void> => {
    await postgres.stop();
    await server.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
  return { server, postgres, port, url: `http://127.0.0.1:${port}`, env, stop };
}
