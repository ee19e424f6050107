/**
 * Credentials: referenced by name, resolved at the last moment, in the worker. A resolver never logs, and no message in
 * this folder contains a credential value.
 */
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { ToolError } from '../tool/outcome';

export interface Credential {
  readonly name: string;
  /** `postgres`, `bearer`, `basic`, `api_key`, …; absent when the store does not record it. */
  readonly type?: string;
  readonly data: JsonObject;
}

export interface CredentialContext {
  readonly execution_id: string;
  /** What the task may open, for whoever asks for it (src/storage/codec/grants.ts). */
  readonly grant?: string;
}

/** Resolves credentials, wherever they are stored. */
export interface CredentialResolver {
  /** @throws ToolError of kind `auth`, code `CREDENTIAL_NOT_FOUND` (or `CREDENTIAL_INVALID`), naming the credential. */
  resolve(name: string, context: CredentialContext): Promise<Credential>;
}

/** One credential source. `undefined`: not found here, try the next one. */
export interface CredentialProvider {
  find(name: string, context: CredentialContext): Promise<Credential | undefined>;
  /** Where to put the named credential, for the message when it is not found. */
  hint(name: string): string;
}

/** Tries the providers in order; the first that has the name wins. */
export function chain(providers: readonly CredentialProvider[]): CredentialResolver {
  return {
    async resolve(name, context) {
      for (const provider of providers) {
        const credential = await provider.find(name, context);
        if (credential) return credential;
      }
      const places = providers.map((provider) => provider.hint(name)).join('; or ');
      throw new ToolError({
        kind: 'auth',
        code: 'CREDENTIAL_NOT_FOUND',
        message: `credential '${name}' was not found; add it to ${places || 'a credential provider (none is configured)'}`,
        credential: name,
      });
    },
  };
}

export function invalidCredential(name: string, where: string, why: string): ToolError {
  return new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_INVALID',
    message: `credential '${name}' in ${where} is invalid: ${why}`,
    credential: name,
  });
}

/** Accepts `{name?, type?, data}` (the official CLI's shape), a bare mapping of data, or `{type, ...data}`. */
export function credentialFrom(name: string, value: Json, where: string): Credential {
  if (!isMapping(value)) throw invalidCredential(name, where, 'it must be a JSON mapping {type, data}');
  const type = typeof value['type'] === 'string' ? value['type'] : undefined;
  const data = value['data'];
  if (isMapping(data)) return { name, ...(type && { type }), data: data as JsonObject };
  const { type: _type, name: _name, ...rest } = value as JsonObject;
  return { name, ...(type && { type }), data: rest };
}
