/** Login to Snowflake: with a key, a token or a password from the credential. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { compact, type Json } from '../../../src/language/plan';
import { ToolError } from '../../framework/tool/outcome';
import { workerFile } from '../../framework/tool/worker-files';

/**
 * Options of the driver; undefined if the credential contains no login.
 *
 * @param get returns a field of the credential by its names, with or without the prefix `sf_`
 * @throws ToolError `CREDENTIAL_INVALID` for a key that cannot be read
 */
export function snowflakeIdentity(
  credential: string,
  get: (...names: string[]) => Json | undefined,
): Record<string, unknown> | undefined {
  const key = get('private_key') ?? fileOf(credential, get('private_key_path', 'private_key_file'));
  if (key !== undefined) {
    const passphrase = get('private_key_passphrase', 'private_key_pass');
    return {
      authenticator: 'SNOWFLAKE_JWT',
      privateKey: privateKeyOf(
        credential,
        String(key),
        passphrase === undefined ? undefined : String(passphrase),
      ),
    };
  }
  const token = get('token');
  if (token !== undefined) return { authenticator: 'OAUTH', token };
  const password = get('password');
  return password === undefined ? undefined : { password };
}

/** In the driver's format, unencrypted PKCS #8: keys may come in other formats, and with a passphrase. */
function privateKeyOf(credential: string, text: string, passphrase: string | undefined): string {
  const key = text.replaceAll('\\n', '\n').trim();
  try {
    const read = key.includes('-----BEGIN')
      ? createPrivateKey({ key, ...compact({ passphrase }) })
      : createPrivateKey({
          key: Buffer.from(key, 'base64'),
          format: 'der',
          type: 'pkcs8',
          ...compact({ passphrase }),
        });
    if (read.asymmetricKeyType !== 'rsa')
      throw invalid(credential, 'is not an RSA key, which Snowflake requires');
    return read.export({ type: 'pkcs8', format: 'pem' }).toString();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (passphrase === undefined && key.includes('ENCRYPTED'))
      throw invalid(credential, 'is encrypted; add its sf_private_key_passphrase');
    if (code === 'ERR_OSSL_BAD_DECRYPT')
      throw invalid(credential, 'does not open with its sf_private_key_passphrase');
    throw invalid(credential, 'cannot be read: PEM, or the base64 of PKCS #8');
  }
}

function fileOf(credential: string, file: Json | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(workerFile('snowflake', String(file)), 'utf8');
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw invalid(
      credential,
      `is in a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? ''})`,
    );
  }
}

function invalid(credential: string, why: string): ToolError {
  const message = `the sf_private_key of credential '${credential}' ${why}`;
  return new ToolError({ kind: 'auth', code: 'CREDENTIAL_INVALID', message, credential });
}
