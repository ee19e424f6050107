/** Converts the data of a credential to connection options of the client. */
import { readFile } from 'node:fs/promises';
import type * as Transport from '@nats-io/transport-node';
import { compact, type Json } from '../../../src/language/plan';
import { type Credential } from '../../framework/credentials/credential';
import { field } from '../../framework/tool/fields';
import { ToolError } from '../../framework/tool/outcome';
import { workerFile } from '../../framework/tool/worker-files';

/**
 * `nats_url` (or `url`, `servers`), and one login: `nats_user` with `nats_password`, `nats_token`, `nats_creds` (the
 * text of a .creds file, or its path), `nats_nkey_seed`, alone or with `nats_jwt`. `tls_ca`, `tls_cert`, `tls_key` are
 * PEM text or files, `tls: true` rejects a server without TLS, `tls_first` starts TLS before the server's greeting.
 *
 * @throws ToolError `NO_CREDENTIAL`, `CREDENTIAL_INVALID`
 */
export async function optionsOf(
  credential: Credential | undefined,
  timeout: number,
  client: Authenticators,
): Promise<Record<string, unknown>> {
  if (!credential) {
    const message =
      'nats: no credential named (auth or credential); its data is {nats_url, nats_user, nats_password}';
    throw new ToolError({ kind: 'validation', code: 'NO_CREDENTIAL', message });
  }
  const get = (...names: string[]): Json | undefined =>
    field(credential.data, ...names.flatMap((one) => [`nats_${one}`, one]));
  const servers = get('url', 'servers', 'server');
  if (servers === undefined) throw invalid(credential, 'has no nats_url');
  const tls = await tlsOf(credential, get);
  return {
    servers,
    timeout,
    reconnect: false,
    name: 'noetl-temporal',
    ...(await loginOf(credential, get, client)),
    ...compact({ tls }),
  };
}

type Authenticators = Pick<
  typeof Transport,
  'nkeyAuthenticator' | 'jwtAuthenticator' | 'credsAuthenticator' | 'nkeys'
>;
type Get = (...names: string[]) => Json | undefined;

async function loginOf(
  credential: Credential,
  get: Get,
  client: Authenticators,
): Promise<Record<string, unknown>> {
  const [user, token, seed, jwt] = [
    get('user', 'username'),
    get('token'),
    get('nkey_seed', 'nkey', 'seed'),
    get('jwt'),
  ];
  const creds = await textOf(credential, 'creds', get('creds', 'creds_file'), /-----BEGIN NATS/);
  const bytes = (text: Json): Uint8Array => new TextEncoder().encode(String(text));
  const proof = (make: () => unknown): Record<string, unknown> => {
    try {
      return { authenticator: make() };
    } catch {
      // The client's message may quote the seed.
      throw invalid(credential, 'has an invalid seed or creds');
    }
  };
  const signed = (make: (key: Uint8Array) => unknown): Record<string, unknown> =>
    proof(() => {
      const key = bytes(String(seed).trim());
      client.nkeys.fromSeed(key);
      return make(key);
    });
  if (creds !== undefined) return proof(() => client.credsAuthenticator(bytes(creds)));
  if (jwt !== undefined) {
    if (seed === undefined) throw invalid(credential, 'has nats_jwt and no nats_nkey_seed to sign with');
    return signed((key) => client.jwtAuthenticator(String(jwt).trim(), key));
  }
  if (seed !== undefined) return signed((key) => client.nkeyAuthenticator(key));
  if (user !== undefined) return { user, pass: get('password', 'pass') };
  return token === undefined ? {} : { token };
}

async function tlsOf(credential: Credential, get: Get): Promise<object | undefined> {
  const pem = (name: string): Promise<string | undefined> =>
    textOf(credential, name, get(name), /-----BEGIN/);
  const [ca, cert, key] = [await pem('tls_ca'), await pem('tls_cert'), await pem('tls_key')];
  if ((cert === undefined) !== (key === undefined))
    throw invalid(credential, 'has only one of tls_cert and tls_key, but a certificate needs both');
  const isFirst = get('tls_first') === true;
  if (ca === undefined && cert === undefined && !isFirst && get('tls') !== true) return undefined;
  return {
    ...compact({ ca }),
    ...(cert !== undefined && { cert, key }),
    ...(isFirst && { handshakeFirst: true }),
  };
}

/** The text itself, or a file that contains it. */
async function textOf(
  credential: Credential,
  name: string,
  value: Json | undefined,
  is: RegExp,
): Promise<string | undefined> {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && is.test(value)) return value;
  try {
    return await readFile(workerFile('nats', String(value)), 'utf8');
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw invalid(credential, `has a ${name} that is neither its text nor a readable file (${code})`);
  }
}

function invalid({ name }: Credential, why: string): ToolError {
  return new ToolError({ kind: 'auth', code: 'CREDENTIAL_INVALID', message: `credential '${name}' ${why}` });
}
