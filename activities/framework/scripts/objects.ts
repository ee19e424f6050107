/** Scripts in buckets: `gs://bucket/name` through Google's client, `s3://bucket/name` through Amazon's. */
import { compact, type ErrorKind } from '../../../src/language/plan';
import { rootCause } from '../tool/cause';
import { awsClientOptions } from '../credentials/aws';
import { type Credential } from '../credentials/credential';
import { objectBytes } from '../google-storage/bytes';
import { checkEndpoint } from '../http/metadata';
import { gcsClient, gcsFailure } from '../google-storage/client';
import { toolPackage } from '../tool/optional-package';
import { ToolError } from '../tool/outcome';

export interface ScriptObject {
  readonly bucket: string;
  readonly name: string;
  readonly credential: Credential | undefined;
  /** Default region of S3, unless the credential or the environment sets one. */
  readonly region?: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** @throws ToolError `GCS_404` … like kind gcs, `SCRIPT_TOO_LARGE` */
export async function readFromGcs(object: ScriptObject): Promise<Buffer> {
  const { bucket, name, credential, signal } = object;
  const place = `gs://${bucket}/${name}`;
  const client = await gcsClient(credential);
  try {
    const stream = objectBytes(client.bucket(bucket).file(name), signal);
    return await whole(stream as AsyncIterable<Buffer>, place, object.maxBytes);
  } catch (error) {
    throw gcsFailure(`read ${place}`, error);
  }
}

/** @throws ToolError `S3_404` …, `ADDRESS_DENIED`, `NOT_AUTHENTICATED`, `SCRIPT_TOO_LARGE`, `PACKAGE_MISSING` */
export async function readFromS3(object: ScriptObject): Promise<Buffer> {
  const { bucket, name, credential, region, signal } = object;
  const place = `s3://${bucket}/${name}`;
  const s3 = await toolPackage('s3', '@aws-sdk/client-s3', () => import('@aws-sdk/client-s3'));
  const options = awsClientOptions({ ...compact({ region }), ...credential?.data });
  await checkEndpoint('s3', options.endpoint);
  const client = new s3.S3Client({
    ...options,
    // S3-compatible services have no host name per bucket, and ignore regions.
    ...(options.endpoint !== undefined && {
      forcePathStyle: true,
      region: options.region ?? 'us-east-1',
    }),
    // Retries are up to the playbook.
    maxAttempts: 1,
  });
  try {
    const command = new s3.GetObjectCommand({ Bucket: bucket, Key: name });
    const { Body } = await client.send(command, { abortSignal: signal });
    return await whole(Body as AsyncIterable<Buffer>, place, object.maxBytes);
  } catch (error) {
    throw s3Failure(place, error);
  } finally {
    client.destroy();
  }
}

async function whole(body: AsyncIterable<Buffer>, place: string, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) {
      const message = `the script ${place} has more than ${maxBytes} bytes`;
      throw new ToolError({ kind: 'validation', code: 'SCRIPT_TOO_LARGE', message });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Errors that need the operator, whatever status they came with. */
const NOT_AUTHENTICATED =
  /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|CredentialsProviderError|TokenProviderError)$/;

function s3Failure(place: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const { name, message, $metadata, Code } = error as {
    name: string;
    message: string;
    $metadata?: { httpStatusCode?: number };
    Code?: string;
  };
  const status = $metadata?.httpStatusCode;
  const text = `s3: read ${place}: ${message && message !== 'UnknownError' ? message : (Code ?? name)}`;
  const failure = (kind: ErrorKind, code: string, retryable: boolean): ToolError =>
    new ToolError({ kind, code, message: text, retryable });
  if (NOT_AUTHENTICATED.test(name)) return failure('auth', 'NOT_AUTHENTICATED', false);
  if (/region is missing/i.test(message)) return failure('validation', 'REGION_MISSING', false);
  if (status === undefined) {
    const { code = /\bE[A-Z]{4,}\b/.exec(message)?.[0] } = rootCause(error) as NodeJS.ErrnoException;
    return failure('connection', code && /^E[A-Z]+$/.test(code) ? code : 'CONNECTION_LOST', true);
  }
  if (status === 404) return failure('not_found', 'S3_404', false);
  if (status === 401 || status === 403) return failure('auth', `S3_${status}`, false);
  if (status === 429 || name === 'SlowDown') return failure('rate_limit', `S3_${status}`, true);
  return failure(status >= 500 ? 'server_error' : 'client_error', `S3_${status}`, status >= 500);
}
