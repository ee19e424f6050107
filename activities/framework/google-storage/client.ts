/** Google's storage client for a credential, and the mapping of its errors to outcomes. */
import type { Storage } from '@google-cloud/storage' with { 'resolution-mode': 'import' };
import { type ErrorKind } from '../../../src/language/plan';
import { rootCause } from '../tool/cause';
import { type Credential } from '../credentials/credential';
import { serviceAccountOf } from '../credentials/google';
import { checkEndpoint } from '../http/metadata';
import { field } from '../tool/fields';
import { toolPackage } from '../tool/optional-package';
import { ToolError } from '../tool/outcome';

/**
 * `service_account_json` (mapping or text), the fields of a service account themselves, or nothing for Google's default
 * credentials (GOOGLE_APPLICATION_CREDENTIALS, the machine's identity). `endpoint` names an emulator, which needs none.
 *
 * @throws ToolError `ADDRESS_DENIED`, `CREDENTIAL_INVALID`, `PACKAGE_MISSING`
 */
export async function gcsClient(credential: Credential | undefined): Promise<Storage> {
  const { Storage } = await toolPackage(
    'Google Cloud Storage',
    '@google-cloud/storage',
    () => import('@google-cloud/storage'),
  );
  const data = credential?.data ?? {};
  const endpoint = field(data, 'endpoint', 'api_endpoint');
  await checkEndpoint('Google Cloud Storage', endpoint);
  const account = serviceAccountOf(credential);
  const projectId = field(data, 'project', 'project_id') ?? account?.['project_id'];
  return new Storage({
    // Retries are up to the playbook.
    retryOptions: { autoRetry: false, maxRetries: 0 },
    ...(projectId !== undefined && { projectId: String(projectId) }),
    ...(account && { credentials: account }),
    ...(typeof endpoint === 'string' && {
      apiEndpoint: endpoint,
      useAuthWithCustomEndpoint: account !== undefined,
      projectId: String(projectId ?? 'none'),
    }),
  });
}

/** @param what the request, for the message */
export function gcsFailure(what: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const cause = rootCause(error);
  const { code } = cause as { code?: unknown };
  const message = `gcs: ${what}: ${cause.message.split('\n')[0]!.trim() || String(code)}`;
  const status = Number(code);
  if (Number.isInteger(status) && status >= 300) {
    const { kind, retryable } = ofStatus(status);
    return new ToolError({ kind, code: `GCS_${status}`, message, retryable, status, status_code: status });
  }
  if (
    code === 'CONTENT_DOWNLOAD_MISMATCH' ||
    code === 'FILE_NO_UPLOAD_DELETED' ||
    code === 'FILE_NO_UPLOAD'
  ) {
    return new ToolError({ kind: 'connection', code: 'CHECKSUM_MISMATCH', message, retryable: true });
  }
  if (
    /credentials|invalid_grant|invalid_client|private key|DECODER|unauthorized/i.test(
      `${cause.message} ${String(code)}`,
    )
  ) {
    return new ToolError({ kind: 'auth', code: 'NOT_AUTHENTICATED', message });
  }
  const name = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : 'CONNECTION_LOST';
  return new ToolError({ kind: 'connection', code: name, message, retryable: true });
}

function ofStatus(status: number): { kind: ErrorKind; retryable: boolean } {
  if (status === 429) return { kind: 'rate_limit', retryable: true };
  if (status === 401 || status === 403) return { kind: 'auth', retryable: false };
  if (status === 404) return { kind: 'not_found', retryable: false };
  if (status === 408) return { kind: 'timeout', retryable: true };
  return status >= 500
    ? { kind: 'server_error', retryable: true }
    : { kind: 'client_error', retryable: false };
}
