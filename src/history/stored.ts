/** Fetches payloads that history only refers to. */
import { type LoadedDataConverter, type Payload } from '@temporalio/common';
import {
  decodeReferencePayload,
  ExternalStorageRunner,
  isReferencePayload,
} from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { CodedError } from '../language/errors';

type Failure = temporal.api.failure.v1.IFailure;

/** @throws CodedError `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE`: what is missing and where it was looked for */
export async function fetchStored(
  payloads: readonly Payload[],
  { externalStorage }: LoadedDataConverter,
): Promise<Payload[]> {
  const reference = payloads.find(isReferencePayload);
  if (!reference) return [...payloads];
  const { driverName, claimData, sizeBytes } = decodeReferencePayload(reference);
  const what = `a value of ${sizeBytes} bytes is stored outside this history (${driverName}, key ${claimData['key'] ?? claimData['object']})`;
  if (!externalStorage) {
    throw new CodedError('STORAGE_NOT_CONFIGURED', `${what}; name its store with --storage or NOETL_STORAGE`);
  }
  if (!externalStorage.getDriver(driverName)) {
    const here = externalStorage.drivers.map((driver) => driver.name).join(', ');
    throw new CodedError('STORAGE_NOT_CONFIGURED', `${what}; the configured store is ${here}`);
  }
  try {
    return await new ExternalStorageRunner(externalStorage).retrieve([...payloads]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CodedError('BLOB_UNAVAILABLE', `${what}, and could not be fetched: ${message}`, {
      cause: error,
    });
  }
}

/** The failure and its causes, with their details fetched. */
export async function fetchStoredFailure(
  failure: Failure | null | undefined,
  converter: LoadedDataConverter,
): Promise<Failure | undefined> {
  if (!failure) return undefined;
  const { applicationFailureInfo: info } = failure;
  const payloads = info?.details?.payloads;
  return {
    ...failure,
    ...(info && payloads
      ? { applicationFailureInfo: { ...info, details: { payloads: await fetchStored(payloads, converter) } } }
      : {}),
    ...(failure.cause ? { cause: await fetchStoredFailure(failure.cause, converter) } : {}),
  };
}
