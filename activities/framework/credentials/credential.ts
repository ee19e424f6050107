/**
 * Credentials: named once, resolved at the last moment, in the worker. A resolver never logs, and no message of this
 * folder carries a value of a credential.
 */
import { isMapping, type Json, type JsonObject } from '../../../src/plan';
import { ToolError } from '../tool/outcome';

export interface Credential {
  readonly name: string;
  /** `postgres`, `bearer`, `basic`, `api_key`, …; absent when the store does not say. */
  readonly type?: string;
  readonly data: JsonObject;
}

export interface CredentialContext {
  readonly execution_id: string;
}

/** Where credentials come from, whoever stores them. */
export interface CredentialResolver {
  /** @throws ToolError of kind `auth`, code `CREDENTIAL_NOT_FOUND` (or `CREDENTIAL_INVALID`), naming the credential. */
  resolve(name: string, context: CredentialContext): Promise<Credential>;
}

/** One place to look. `undefined`: not here, look further. */
export interface CredentialProvider {
  find(name: string, context: CredentialContext): Promise<Credential | undefined>;
  /** Where a person may put the named credential, for the message when none is found. */
  hint(name: string): string;
}

/** Asks the providers in order; the first that knows the name answers. */
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
        message: `credential '${name}' was not found; put it into ${places || 'a credential provider (none is configured)'}`,
        credential: name,
      });
    },
  };
}

export function invalidCredential(name: string, where: string, why: string): ToolError {
  return new ToolError({
    kind: 'auth',
    code: 'CREDENTIAL_INVALID',
    message: `credential '${name}' in ${where} cannot be used: ${why}`,
    credential: name,
  });
}

/**
 * Reads `{name?, type?, data}` (the official CLI's shape), or a bare mapping of data. `type` may also stand for the
 * whole: `{type, ...data}`.
 */
export function credentialFrom(name: string, value: Json, where: string): Credential {
  if (!isMapping(value)) throw invalidCredential(name, where, 'it must be a JSON mapping {type, data}');
  const type = typeof value['type'] === 'string' ? value['type'] : undefined;
  const data = value['data'];
  if (isMapping(data)) return { name, ...(type && { type }), data: data as JsonObject };
  const { type: _type, name: _name, ...rest } = value as JsonObject;
  return { name, ...(type && { type }), data: rest };
}
