/** HashiCorp Vault, and OpenBao: key-value secrets over the HTTP API. */
import {
  compact,
  isMapping,
  type Json,
  type JsonObject,
  type SecretReference,
} from '../../../src/language/plan';
import { checkEndpoint } from '../http/metadata';
import { field } from '../tool/fields';
import { invalidInput } from '../tool/outcome';
import { jsonOr } from '../../../src/language/plan/json-text';
import { refusedBy, secretError, type SecretProvider, type SecretRequest, unreachable } from './provider';

/**
 * The credential: `{address, token}`, or `{address, role_id, secret_id}` of an AppRole; `namespace` if used. Without a
 * credential: VAULT_ADDR, VAULT_TOKEN and VAULT_NAMESPACE of the worker. `mount` is `secret` and `kv_version` 2 unless
 * the task says otherwise.
 */
export const vault: SecretProvider = async (request) => {
  const { ref } = request;
  assertSecret(ref);
  const session = await login(request);
  const mount = mountOf(ref).map(encodeURIComponent).join('/');
  const isFirst = String(ref['kv_version'] ?? 2) === '1';
  const version =
    ref['version'] === undefined ? '' : `?version=${encodeURIComponent(String(ref['version']))}`;
  const path = ref.secret.split('/').map(encodeURIComponent).join('/');
  const at = isFirst ? `${mount}/${path}` : `${mount}/data/${path}${version}`;
  const body = await session.get(at);
  const outer = (isMapping(body['data']) ? body['data'] : {}) as JsonObject;
  const data = isFirst ? outer : outer['data'];
  if (!isMapping(data)) throw secretError('missing', ref, 'this version of it was deleted');
  const metadata = outer['metadata'];
  const read = isMapping(metadata) ? (metadata as JsonObject)['version'] : undefined;
  return { text: JSON.stringify(data), ...(read !== undefined && { version: String(read) }) };
};

/** Vault's own: where it tells who asks, with the token itself (`auth/token/lookup-self`). No secrets engine can be there. */
const RESERVED = /^(auth|sys|identity|cubbyhole)$/;

function mountOf(ref: SecretReference): string[] {
  return String(ref['mount'] ?? 'secret')
    .split('/')
    .filter(Boolean);
}

/** @throws ToolError for what is no place of a secret: the worker's token may see more than a playbook is to */
function assertSecret(ref: SecretReference): void {
  const mount = mountOf(ref);
  const parts = [...mount, ...ref.secret.split('/')];
  if (RESERVED.test((mount[0] ?? '').toLowerCase()) || parts.some((part) => /^\.*$/.test(part)))
    throw invalidInput(
      `secrets: '${[...mount, ref.secret].join('/')}' is no place of a secret in Vault: its mount is a secrets engine, and its path has no part that is empty, . or ..`,
      'SECRET_INVALID',
    );
}

interface Session {
  get(path: string): Promise<JsonObject>;
}

async function login({ ref, credential, signal }: SecretRequest): Promise<Session> {
  const data = credential?.data ?? {};
  // The worker's own token is for its own server, and for no other that a playbook names.
  const own = field(data, 'address', 'url', 'addr') === undefined ? process.env : {};
  const address = field(data, 'address', 'url', 'addr') ?? own['VAULT_ADDR'];
  if (typeof address !== 'string')
    throw secretError(
      'denied',
      ref,
      'its address is unknown: give `auth` a credential with one, or set VAULT_ADDR',
    );
  await checkEndpoint('secrets', address);
  const namespace = field(data, 'namespace') ?? own['VAULT_NAMESPACE'];
  const base = { ...(typeof namespace === 'string' && { 'x-vault-namespace': namespace }) };
  const ask = (path: string, token?: string, body?: JsonObject): Promise<JsonObject> =>
    send(`${address.replace(/\/+$/, '')}/v1/${path}`, ref, {
      method: body ? 'POST' : 'GET',
      signal,
      headers: { ...base, ...compact({ 'x-vault-token': token }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { role_id, secret_id } = data as { role_id?: string; secret_id?: string };
  let token: Json | undefined = field(data, 'token') ?? own['VAULT_TOKEN'];
  if (role_id !== undefined) {
    const auth = (await ask('auth/approle/login', undefined, { role_id, secret_id: secret_id ?? '' }))[
      'auth'
    ];
    token = isMapping(auth) ? (auth as JsonObject)['client_token'] : undefined;
  }
  return { get: (path) => ask(path, typeof token === 'string' ? token : undefined) };
}

async function send(
  url: string,
  ref: SecretReference,
  options: { method: 'GET' | 'POST'; signal: AbortSignal; headers: Record<string, string>; body?: string },
): Promise<JsonObject> {
  let answer: { statusCode: number; text: string };
  // Most workers never ask a vault, and loading an HTTP client is a tenth of their start.
  const { request } = await import('undici');
  try {
    const { statusCode, body } = await request(url, options);
    answer = { statusCode, text: await body.text() };
  } catch (error) {
    throw unreachable(error, ref);
  }
  const { statusCode, text } = answer;
  const data = jsonOr(text, undefined);
  const body = isMapping(data) ? (data as JsonObject) : undefined;
  if (statusCode === 200 && body) return body;
  const errors = body?.['errors'];
  const why = Array.isArray(errors) ? errors.map(String).join('; ') : '';
  throw statusCode === 200
    ? secretError('failed', ref, 'its answer is not JSON')
    : refusedBy(statusCode, ref, why);
}
