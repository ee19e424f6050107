/** Google Cloud Storage, through Temporal's driver. */
import { blobFailure } from './failure';
import { type BucketLocation } from './location';
import { storagePackage } from './optional-package';
import { type Objects } from './object-driver';
import { MAX_OBJECT_BYTES, type OpenBucket } from './s3';

const load = (bucket: string) =>
  storagePackage(() => import('@google-cloud/storage'), '@google-cloud/storage', `gs://${bucket}`);

type GoogleBucket = ReturnType<InstanceType<Awaited<ReturnType<typeof load>>['Storage']>['bucket']>;

/**
 * Credentials come from the default locations of Google's libraries; an `endpoint` is an emulator, which needs
 * none.
 */
export async function openGcs({ bucket, prefix, options }: BucketLocation): Promise<OpenBucket> {
  const { Storage } = await load(bucket);
  const { GcsStorageDriver } = await storagePackage(
    () => import('@temporalio/external-storage-gcs'),
    '@temporalio/external-storage-gcs',
    `gs://${bucket}`,
  );
  const { endpoint, project } = options;
  const storage = new Storage({
    ...(project ? { projectId: project } : {}),
    ...(endpoint
      ? { apiEndpoint: endpoint, useAuthWithCustomEndpoint: false, projectId: project ?? 'none' }
      : {}),
  });
  const driver = new GcsStorageDriver({
    bucket,
    maxPayloadSize: MAX_OBJECT_BYTES,
    client: {
      async save(name, key, data) {
        // The same key has the same bytes: overwriting is safe, and repairs damaged objects.
        await storage
          .bucket(name)
          .file(prefix + key)
          .save(Buffer.from(data), { resumable: false, validation: 'crc32c' });
      },
      async download(name, key) {
        try {
          const [bytes] = await storage
            .bucket(name)
            .file(prefix + key)
            .download();
          return bytes;
        } catch (error) {
          if ((error as { code?: unknown }).code !== 404) throw error;
          throw blobFailure('BLOB_MISSING', `gs://${name} has no ${prefix}${key}`);
        }
      },
    },
  });
  return {
    driver,
    objects: objectsOf(storage.bucket(bucket), prefix),
    async erase(key) {
      await storage
        .bucket(bucket)
        .file(prefix + key)
        .delete({ ignoreNotFound: true });
    },
    close: () => Promise.resolve(),
  };
}

function objectsOf(bucket: GoogleBucket, prefix: string): Objects {
  return {
    async put(key, bytes) {
      await bucket.file(prefix + key).save(Buffer.from(bytes), { resumable: false });
    },
    async get(key) {
      try {
        const [bytes] = await bucket.file(prefix + key).download();
        return bytes;
      } catch (error) {
        if ((error as { code?: unknown }).code === 404) return undefined;
        throw error;
      }
    },
    async list(folder, after, count) {
      const all = prefix + folder;
      // The result includes the offset itself.
      const query = { prefix: all, startOffset: all + after, maxResults: count + 1, autoPaginate: false };
      const [files] = await bucket.getFiles(query);
      const names = files.map(({ name }) => name.slice(all.length)).filter((name) => name > after);
      return names.sort().slice(0, count);
    },
  };
}
