/**
 * Amazon S3 and compatible stores, through Temporal's driver: other SDKs and tools can read the same references.
 */
import type * as S3 from '@aws-sdk/client-s3';
import { blobFailure } from './failure';
import { type BucketLocation } from './location';
import { type Objects, type OpenObjectStore } from './object-driver';
import { storagePackage } from './optional-package';

/** Of one payload. More than any task may return, because the state of a long run may be larger. */
export const MAX_OBJECT_BYTES = 512 * 1024 * 1024;

/** Without its name. */
export type OpenBucket = Omit<OpenObjectStore, 'shown' | 'store'>;

/** Credentials and region come from the AWS SDK's default chain: environment, profile, role. */
export async function openS3({ bucket, prefix, options }: BucketLocation): Promise<OpenBucket> {
  const s3 = await storagePackage(() => import('@aws-sdk/client-s3'), '@aws-sdk/client-s3', `s3://${bucket}`);
  const { S3StorageDriver } = await storagePackage(
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
  { bucket, prefix }: Pick<BucketLocation, 'bucket' | 'prefix'>,
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
