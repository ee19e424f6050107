import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDatabase, ensureEmbeddedPostgres } from '../../src/server/store';

export interface TestPostgres {
  /** Of the database `noetl`. */
  readonly url: string;
  /** Creates a database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** A Postgres of this test alone, in a temporary folder, on a free port; about a second for the first start. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pg-'));
  fs.chmodSync(dataDir, 0o755); // as root the server runs under its own user
  const postgres = await ensureEmbeddedPostgres(dataDir, {});
  return {
    url: postgres.url,
    createDatabase: async (name) => {
      await createDatabase(postgres.url, name);
      const url = new URL(postgres.url);
      url.pathname = `/${encodeURIComponent(name)}`;
      return url.toString();
    },
    stop: async () => {
      await postgres.stop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
