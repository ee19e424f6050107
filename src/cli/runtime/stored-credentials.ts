/**
 * Stored credentials for workers with access to the database (`dev`, `run`): read from the store, without a facade.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KEY_FILE, localKeyRing } from '../../keyring';
import { Credentials, type Reader } from '../../store';
import { type CredentialProvider } from '../../worker';
import { authCacheTtl } from './auth-cache-ttl';
import { openStore } from './store';

/** This process in the audit of credentials. */
export const THIS_PROCESS: Reader = { principal: `${userName()} (command line)`, remote: os.hostname() };

export interface StoredCredentials {
  readonly provider: CredentialProvider;
  close(): Promise<void>;
}

/**
 * The store of a data folder (or of DATABASE_URL), opened by the first task that needs it. If no credential was
 * ever stored in the folder, no Postgres is started.
 */
export function storedCredentials(dataDir: string, env: NodeJS.ProcessEnv = process.env): StoredCredentials {
  let opened: Promise<{ credentials: Credentials; close(): Promise<void> }> | undefined;
  const provider: CredentialProvider = {
    async find(name, { execution_id }) {
      if (!opened && !mayHold(dataDir, env)) return undefined;
      opened ??= open(dataDir, env);
      const { credentials } = await opened.catch((error: unknown) => {
        opened = undefined; // an unavailable database may be back for the next task
        throw error;
      });
      const reader = { ...THIS_PROCESS, ...(/^\d+$/.test(execution_id) && { execution_id }) };
      const credential = await credentials.read(name, reader);
      return credential && { name, type: credential.type, data: credential.data };
    },
    hint: (name) => `the store of this folder (noetl-temporal credentials add ${name})`,
  };
  return {
    provider,
    close: async () => {
      const store = await opened?.catch(() => undefined);
      await store?.close();
    },
  };
}

function mayHold(dataDir: string, env: NodeJS.ProcessEnv): boolean {
  const hasKey =
    env['NOETL_SECRETS_KEY'] || env['NOETL_SECRETS_KEY_FILE'] || fs.existsSync(path.join(dataDir, KEY_FILE));
  return Boolean(hasKey && (env['DATABASE_URL'] || fs.existsSync(path.join(dataDir, 'postgres'))));
}

async function open(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ credentials: Credentials; close(): Promise<void> }> {
  const keys = localKeyRing(dataDir, env);
  const store = await openStore({ data: dataDir, database: env['DATABASE_URL'] });
  return {
    credentials: new Credentials(store.database, keys, authCacheTtl(undefined, env)),
    close: () => store.close(),
  };
}

/** A system user without a name, as in containers, has only a number. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'somebody');
  }
}
