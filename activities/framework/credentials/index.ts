export { type Credential, type CredentialProvider, type CredentialResolver } from './credential';
export { chain, credentialFrom } from './credential';
export { credentialVariable } from './environment';
export { resolveAuth } from './auth';
export { redactor } from './redact';
export { privateTexts, secretsOf } from './secret-texts';
export { facadeProvider } from './facade';
export { askFacade, configuredFacade, type FacadeAddress, type FacadeRequest } from './facade-client';

import { chain, type CredentialProvider, type CredentialResolver } from './credential';
import { environmentProvider } from './environment';
import { facadeProvider } from './facade';
import { configuredFacade } from './facade-client';
import { fileProvider, folderProvider } from './files';

/**
 * Environment first, then the file of `NOETL_CREDENTIALS_FILE`, then the folder of `NOETL_CREDENTIALS_DIR`, then the
 * facade of `NOETL_FACADE_URL`.
 *
 * @param sources to try last, e.g. the process's own store
 * @throws ToolError `FACADE_INVALID`
 */
export function defaultCredentials(
  env: NodeJS.ProcessEnv = process.env,
  further: readonly CredentialProvider[] = [],
): CredentialResolver {
  const file = env['NOETL_CREDENTIALS_FILE'];
  const folder = env['NOETL_CREDENTIALS_DIR'];
  const facade = configuredFacade(env);
  return chain([
    environmentProvider(env),
    ...(file ? [fileProvider(file)] : []),
    ...(folder ? [folderProvider(folder)] : []),
    ...(facade ? [facadeProvider(facade)] : []),
    ...further,
  ]);
}
