/** A tool's `auth` (or `credential`) field: the name of a credential, or the credential itself. */
import { isMapping, type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { field, jsonTypeName } from '../tool/fields';
import { invalidInput } from '../tool/outcome';
import { type Credential, type CredentialResolver } from './credential';

/**
 * Accepted: `auth: pg_local` · `auth: {type: bearer, token: …}` · `auth: {type: postgres, credential: pg_local}` ·
 * `auth: {pg: {type: postgres, credential: pg_local}}` with exactly one alias. A missing field, null, '' and {} mean
 * none.
 */
export async function resolveAuth(
  call: TaskCall,
  credentials: CredentialResolver,
): Promise<Credential | undefined> {
  return resolve(field(call.config, 'auth', 'credential'), call, credentials);
}

async function resolve(
  auth: Json | undefined,
  call: TaskCall,
  credentials: CredentialResolver,
): Promise<Credential | undefined> {
  if (auth === undefined || auth === '') return undefined;
  if (typeof auth === 'string') return credentials.resolve(auth, { execution_id: call.execution_id });
  if (!isMapping(auth)) {
    throw invalidInput(
      `${call.kind}: auth must be the name of a credential or a mapping, not ${jsonTypeName(auth)}`,
    );
  }
  const fields = auth as JsonObject;
  const type = typeof fields['type'] === 'string' ? fields['type'].toLowerCase() : undefined;
  if (typeof fields['credential'] === 'string') {
    const stored = await credentials.resolve(fields['credential'], { execution_id: call.execution_id });
    const { credential: _credential, type: _type, ...over } = fields;
    return { name: stored.name, type: type ?? stored.type, data: { ...stored.data, ...over } };
  }
  const names = Object.keys(fields);
  if (names.length === 0) return undefined;
  const only = fields[names[0]!];
  if (!type && names.length === 1 && isMapping(only)) return resolve(only as Json, call, credentials);
  const { type: _type, data, ...rest } = fields;
  return {
    name: 'inline',
    ...(type && { type }),
    data: isMapping(data) ? { ...rest, ...(data as JsonObject) } : rest,
  };
}
