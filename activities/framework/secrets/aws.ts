/** AWS Secrets Manager, through Amazon's client: an optional dependency. */
import { compact, type JsonObject } from '../../../src/language/plan';
import { awsClientOptions } from '../credentials/aws';
import { checkEndpoint } from '../http/metadata';
import { toolPackage } from '../tool/optional-package';
import { secretError, type SecretProvider, unreachable } from './provider';

/** Amazon's error names and their outcome codes. */
const ERRORS: Readonly<Record<string, Parameters<typeof secretError>[0]>> = {
  ResourceNotFoundException: 'missing',
  InvalidRequestException: 'missing',
  AccessDeniedException: 'denied',
  UnrecognizedClientException: 'denied',
  InvalidClientTokenId: 'denied',
  InvalidSignatureException: 'denied',
  ExpiredTokenException: 'denied',
  CredentialsProviderError: 'denied',
  DecryptionFailure: 'denied',
  ThrottlingException: 'busy',
  InternalServiceError: 'failed',
};

/**
 * The credential: `{access_key_id, secret_access_key, session_token?, region, endpoint?}`; without keys, Amazon's
 * client looks in the environment, profile and role. `version` is a version id, or a stage such as AWSPREVIOUS.
 */
export const aws: SecretProvider = async ({ ref, credential, signal }) => {
  const sdk = await toolPackage(
    'secrets',
    '@aws-sdk/client-secrets-manager',
    () => import('@aws-sdk/client-secrets-manager'),
  );
  // `secret` is a key in a credential, but the secret's name in a reference.
  const { secret: _secret, ...place } = ref as JsonObject;
  const options = awsClientOptions({ ...credential?.data, ...place });
  await checkEndpoint('secrets', options.endpoint);
  const client = new sdk.SecretsManagerClient({
    ...options,
    // Retries are up to the playbook.
    maxAttempts: 1,
  });
  const version = ref['version'] === undefined ? undefined : String(ref['version']);
  const which =
    version === undefined
      ? {}
      : /^AWS[A-Z]+$/.test(version)
        ? { VersionStage: version }
        : { VersionId: version };
  try {
    const command = new sdk.GetSecretValueCommand({ SecretId: ref.secret, ...which });
    const { SecretString, SecretBinary, VersionId } = await client.send(command, { abortSignal: signal });
    const value = SecretString ?? Buffer.from(SecretBinary ?? []).toString('base64');
    return { text: value, ...compact({ version: VersionId }) };
  } catch (error) {
    const { name, message, $metadata } = error as {
      name: string;
      message: string;
      $metadata?: { httpStatusCode?: number };
    };
    const what = ERRORS[name];
    if (what) throw secretError(what, ref, `${name}: ${message}`);
    if ($metadata?.httpStatusCode === undefined) throw unreachable(error, ref);
    throw secretError('failed', ref, `${name}: ${message}`);
  } finally {
    client.destroy();
  }
};
