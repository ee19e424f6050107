/** Google Cloud Storage, through Temporal's driver. */
import { blobFailure } from './failure';
import { type Location } from './location';
import { optionalPackage } from './optional-package';
import { type Objects } from './object-driver';
import { MAX_OBJECT_BYTES, type OpenDriver } from './s3';

type Bucket = Extract<Location, { kind: 's3' | 'gs' }>;

/** Credentials come from where Google's libraries look; an `endpoint` is an emulator, which wants none. */
export async function openGcs({ bucket, prefix, options }: Bucket): Promise<OpenDriver> {
  const { Storage } = await optionalPackage(
    () => import('@google-cloud/storage'),
    '@google-cloud/storage',
    `gs://${bucket}`,
  );
  const { GcsStorageDriver } = await optionalPackage(
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
        // Same key, same bytes: writing again is right, and repairs what was damaged.
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
  const file = (key: string): ReturnType<ReturnType<typeof storage.bucket>['file']> =>
    storage.bucket(bucket).file(prefix + key);
  const objects: Objects = {
    async put(key, bytes) {
      await file(key).save(Buffer.from(bytes), { resumable: false });
    },
    async get(key) {
      try {
        const [bytes] = await file(key).download();
        return bytes;
      } catch (error) {
        if ((error as { code?: unknown }).code === 404) return undefined;
        throw error;
      }
    },
    async list(folder, after, maxResults) {
      const all = prefix + folder;
      // `startOffset` itself would be among them.
      const startOffset = after === '' ? all : `${all}${after}\u0001`;
      const [files] = await storage
        .bucket(bucket)
        .getFiles({ prefix: all, startOffset, maxResults, autoPaginate: false });
      return files.map(({ name }) => name.slice(all.length));
    },
  };
  return {
    driver,
    objects,
    async erase(key) {
      await file(key).delete({ ignoreNotFound: true });
    },
    close: () => Promise.resolve(),
  };
}
