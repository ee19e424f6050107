/** Secrets on the worker itself: stored credentials, its environment, its files. */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { type CredentialResolver } from '../credentials';
import { secretError, type SecretProvider } from './provider';

/** A field of a stored credential, or all of it. */
export function credentialProvider(credentials: CredentialResolver): SecretProvider {
  return async ({ ref, execution_id }) => {
    const { data } = await credentials.resolve(ref.secret, { execution_id });
    return { text: JSON.stringify(data) };
  };
}

/**
 * `NOETL_SECRET_<NAME>` and no other variable: a playbook that could read any variable could read the worker's
 * credentials and cloud keys.
 */
export function environmentSecrets(env: NodeJS.ProcessEnv = process.env): SecretProvider {
  return (request) => {
    const variable = `NOETL_SECRET_${request.ref.secret.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    const text = env[variable];
    return text === undefined
      ? Promise.reject(secretError('missing', request.ref, `the worker has no variable ${variable}`))
      : Promise.resolve({ text });
  };
}

/** A file in the folder NOETL_SECRETS_DIR, where Docker and Kubernetes mount secrets; without its trailing newline. */
export function fileSecrets(env: NodeJS.ProcessEnv = process.env): SecretProvider {
  return async ({ ref }) => {
    const folder = env['NOETL_SECRETS_DIR'] ?? '/run/secrets';
    // A name is a file name, never a path.
    if (!/^[\w.@-]+$/.test(ref.secret) || ref.secret.startsWith('.'))
      throw secretError('missing', ref, `a secret in ${folder} must be named by a file name`);
    const file = path.join(folder, ref.secret);
    // Keys of the worker itself are mounted in the same place: NOETL_SECRETS_KEY_FILE=/run/secrets/key.
    if (await isNamedBy(env, file))
      throw secretError('denied', ref, `${folder} has it for the worker itself, whose settings name it`);
    try {
      return { text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw secretError(code === 'EACCES' ? 'denied' : 'missing', ref, `${folder} (${code})`);
    }
  };
}

/** Whether a variable of the worker has the path of the file, by whichever link. */
async function isNamedBy(env: NodeJS.ProcessEnv, file: string): Promise<boolean> {
  const real = (name: string): Promise<string> => realpath(name).catch(() => path.resolve(name));
  const named = Object.values(env).filter((value) => value !== undefined && path.isAbsolute(value));
  const paths = await Promise.all(named.map((value) => real(value!)));
  return paths.includes(await real(file));
}
