/**
 * Stored credentials for workers with access to the database (`dev`, `run`): read from the store, without a facade.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KEY_FILE, localKeyRing } from '../../storage/keyring';
import { type Credentials, type CredentialReader } from '../../server/store';
import { type PlaybookOf } from '../../temporal/client';
import { type CredentialProvider } from '../../temporal/worker';
import { ToolError } from '../../../activities/framework/tool/outcome';

/** This process in the audit of credentials. */
export const THIS_PROCESS: CredentialReader = {
  principal: `${userName()} (command line)`,
  remote: os.hostname(),
};

export interface StoredCredentials {
  readonly provider: CredentialProvider;
  close(): Promise<void>;
}

/**
 * The store of a data folder (or of DATABASE_URL), opened by the first task that needs it. If no credential was
 * ever stored in the folder, no Postgres is started.
 *
 * @param playbookOf for credentials that are bound to playbooks
 */
export function storedCredentials(
  dataDir: string,
  playbookOf: PlaybookOf,
  env: NodeJS.ProcessEnv = process.env,
): StoredCredentials {
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
      const info = await credentials.info(name);
      if (!info) return undefined;
      const why = info.paths && (await whyNotFor(info.paths, execution_id, playbookOf));
      if (why) {
        await credentials.refused(info, reader);
        throw new ToolError({
          kind: 'auth',
          code: 'CREDENTIAL_REFUSED',
          message: `credential '${name}' ${why} (noetl-temporal credentials add ${name} --paths …)`,
          credential: name,
        });
      }
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

async function whyNotFor(
  paths: readonly string[],
  executionId: string,
  playbookOf: PlaybookOf,
): Promise<string | undefined> {
  const path = await playbookOf(executionId);
  const { fitsAny } = await import('../../server/store/index.js');
  if (path !== undefined && fitsAny(paths, path)) return undefined;
  const whose = path === undefined ? 'this is no execution of one' : `the execution runs ${path}`;
  return `is limited to playbooks called ${paths.join(', ')}, and ${whose}`;
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
  const { Credentials } = await import('../../server/store/index.js');
  const { openStore } = await import('./store.js');
  const { authCacheTtl } = await import('./auth-cache-ttl.js');
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
