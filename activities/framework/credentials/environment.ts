/** Credentials in environment variables: `NOETL_CREDENTIAL_<NAME>`, JSON or a `postgres://` URL. */
import { type Json } from '../../../src/language/plan';
import { parseJson } from '../../../src/language/plan/json-text';
import { credentialFrom, type CredentialProvider, invalidCredential } from './credential';

/** `pg-local` → `NOETL_CREDENTIAL_PG_LOCAL`. */
export function credentialVariable(name: string): string {
  return `NOETL_CREDENTIAL_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

export function environmentProvider(env: NodeJS.ProcessEnv = process.env): CredentialProvider {
  return {
    async find(name) {
      const variable = credentialVariable(name);
      const text = env[variable]?.trim();
      if (!text) return undefined;
      if (/^postgres(ql)?:\/\//i.test(text)) return { name, type: 'postgres', data: { dsn: text } };
      let value: Json;
      try {
        value = parseJson(text);
      } catch {
        // The parser's message would quote the text, which is the secret.
        throw invalidCredential(
          name,
          `the environment variable ${variable}`,
          'it is neither JSON nor a postgres:// URL',
        );
      }
      return credentialFrom(name, value, `the environment variable ${variable}`);
    },
    hint: (name) =>
      `the environment variable ${credentialVariable(name)} (JSON {"type", "data"} or a postgres:// URL)`,
  };
}
