/**
 * Amazon S3 and compatible stores, through Temporal's driver: other SDKs and tools can read the same references.
 */
import type * as S3 from '@aws-sdk/client-s3';
import { type StorageDriver } from '@temporalio/common';
import { blobFailure } from './failure';
import { type Location } from './location';
import { type Objects } from './object-driver';
import { optionalPackage } from './optional-package';

/** Of one payload. More than any task may return, because the state of a long run may be larger. */
export const MAX_OBJECT_BYTES = 512 * 1024 * 1024;

export interface OpenDriver {
  readonly driver: StorageDriver;
  /** Under our own keys. */
  readonly objects: Objects;
  /** Deletes one object; deleting a missing one is not an error. */
  erase(key: string): Promise<void>;
  close(): Promise<void>;
}

type Bucket = Extract<Location, { kind: 's3' | 'gs' }>;

/** Credentials and region come from the AWS SDK's default chain: environment, profile, role. */
export async function openS3({ bucket, prefix, options }: Bucket): Promise<OpenDriver> {
  const s3 = await optionalPackage(
    () => import('@aws-sdk/client-s3'),
    '@aws-sdk/client-s3',
    `s3://${bucket}`,
  );
  const { S3StorageDriver } = await optionalPackage(
    () => import('@temporalio/external-storage-s3'),
    '@temporalio/external-storage-s3',
    `s3://${bucket}`,
  );
  const client = new s3.S3Client({
    ...(options['region'] ? { region: options['region'] } : {}),
    ...(options['endpoint'] ? { endpoint: options['endpoint'] } : {}),
    forcePathStyle: options['path_style'] === 'true' || options['endpoint'] !== undefined,
  });
  const driver = new S3StorageDriver({
    bucket,
    maxPayloadSize: MAX_OBJECT_BYTES,
    client: {
      async putObject(Bucket, key, Body, { abortSignal } = {}) {
        const command = new s3.PutObjectCommand({ Bucket, Key: prefix + key, Body });
        await client.send(command, { abortSignal });
      },
      async objectExists(Bucket, key, { abortSignal } = {}) {
        try {
          await client.send(new s3.HeadObjectCommand({ Bucket, Key: prefix + key }), { abortSignal });
          return true;
        } catch (error) {
          if (error instanceof s3.NotFound) return false;
          throw error;
        }
      },
      async getObject(Bucket, key, { abortSignal } = {}) {
        try {
          const command = new s3.GetObjectCommand({ Bucket, Key: prefix + key });
          const { Body } = await client.send(command, { abortSignal });
          return (await Body?.transformToByteArray()) ?? new Uint8Array();
        } catch (error) {
          if (!(error instanceof s3.NoSuchKey)) throw error;
          throw blobFailure('BLOB_MISSING', `s3://${Bucket} has no ${prefix}${key}`);
        }
      },
    },
  });
  return {
    driver,
    objects: objectsOf(s3, client, { bucket, prefix }),
    async erase(key) {
      await client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }));
    },
    close: () => {
      client.destroy();
      return Promise.resolve();
    },
  };
}

function objectsOf(
  s3: typeof S3,
  client: S3.S3Client,
  { bucket, prefix }: Pick<Bucket, 'bucket' | 'prefix'>,
): Objects {
  const place = (key: string): { Bucket: string; Key: string } => ({ Bucket: bucket, Key: prefix + key });
  return {
    async put(key, Body) {
      await client.send(new s3.PutObjectCommand({ ...place(key), Body }));
    },
    async get(key) {
      try {
        const { Body } = await client.send(new s3.GetObjectCommand(place(key)));
        return await Body!.transformToByteArray();
      } catch (error) {
        if (error instanceof s3.NoSuchKey) return undefined;
        throw error;
      }
    },
    async list(folder, after, MaxKeys) {
      const Prefix = prefix + folder;
      const input = { Bucket: bucket, Prefix, MaxKeys, ...(after !== '' && { StartAfter: Prefix + after }) };
      const { Contents = [] } = await client.send(new s3.ListObjectsV2Command(input));
      return Contents.map(({ Key = '' }) => Key.slice(Prefix.length));
    },
  };
}
