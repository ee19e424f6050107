/** Fetches the value of a secret from any provider. */
import { type SecretReference } from '../../../src/language/plan';
import { type Credential, type CredentialResolver } from '../credentials';
import { invalidInput } from '../tool/outcome';
import { aws } from './aws';
import { google } from './google';
import { credentialProvider, environmentSecrets, fileSecrets } from './local';
import { type SecretProvider, type SecretValue } from './provider';
import { secretField } from './reveal';
import { vault } from './vault';

export interface SecretSource {
  readonly credentials: CredentialResolver;
  readonly execution_id: string;
  readonly signal: AbortSignal;
  /** Overrides the credential named by `auth`. */
  readonly credential?: Credential;
}

const PROVIDERS: Readonly<Record<string, (source: SecretSource) => SecretProvider>> = {
  credential: ({ credentials }) => credentialProvider(credentials),
  environment: () => environmentSecrets(),
  env: () => environmentSecrets(),
  file: () => fileSecrets(),
  google: () => google,
  gcp: () => google,
  aws: () => aws,
  vault: () => vault,
};

/** @throws ToolError `INVALID_INPUT` for an unknown provider; the provider's own errors */
export async function fetchSecret(ref: SecretReference, source: SecretSource): Promise<SecretValue> {
  const provider = Object.hasOwn(PROVIDERS, ref.provider) ? PROVIDERS[ref.provider] : undefined;
  if (!provider) {
    const providers = Object.keys(PROVIDERS).join(', ');
    throw invalidInput(`secrets: provider '${ref.provider}' is not one of ${providers}`);
  }
  const { credentials, execution_id, signal } = source;
  const auth = ref['auth'];
  const named = typeof auth === 'string' ? await credentials.resolve(auth, { execution_id }) : undefined;
  const credential = source.credential ?? named;
  const secret = await provider(source)({ ref, credential, execution_id, signal });
  const { field } = ref;
  if (typeof field !== 'string') return secret;
  const part = secretField(secret.text, field, 'secrets');
  return { ...secret, text: typeof part === 'string' ? part : JSON.stringify(part) };
}
