export {
  type Credential,
  type CredentialContext,
  type CredentialProvider,
  type CredentialResolver,
} from './credential';
export { chain, credentialFrom } from './credential';
export { credentialVariable, environmentProvider } from './environment';
export { fileProvider, folderProvider } from './files';
export { resolveAuth } from './auth';
export { privateTexts, redactor, secretsOf } from './redact';

import { chain, type CredentialResolver } from './credential';
import { environmentProvider } from './environment';
import { fileProvider, folderProvider } from './files';

/** Environment first, then the file of `NOETL_CREDENTIALS_FILE`, then the folder of `NOETL_CREDENTIALS_DIR`. */
export function defaultCredentials(env: NodeJS.ProcessEnv = process.env): CredentialResolver {
  const file = env['NOETL_CREDENTIALS_FILE'];
  const folder = env['NOETL_CREDENTIALS_DIR'];
  return chain([
    environmentProvider(env),
    ...(file ? [fileProvider(file)] : []),
    ...(folder ? [folderProvider(folder)] : []),
  ]);
}
