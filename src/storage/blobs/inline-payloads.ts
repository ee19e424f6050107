/**
 * A shortcut through the SDK's external storage for payloads that stay in history. For each payload it makes two abort
 * signals and measures the encoded payload before it looks whether there is anything to store or to fetch: 35 to 50 µs
 * of CPU, four times per task (docs/design/measured.md).
 */
import { type Payload } from '@temporalio/common';
import { ExternalStorageRunner, isReferencePayload } from '@temporalio/common/lib/internal-non-workflow';
import { decode } from '@temporalio/common/lib/encoding';
import { DEFAULT_INLINE_BYTES, STORE_FROM } from '../payloads';

const { prototype } = ExternalStorageRunner;
const { store, retrieve } = prototype;
let isInstalled = false;

/** Lets small payloads pass when storing, and those that are not references when fetching. Idempotent. */
export function passInlinePayloads(): void {
  if (isInstalled) return;
  isInstalled = true;
  prototype.store = function (payloads, options) {
    return payloads.some(isLarge) ? store.call(this, payloads, options) : Promise.resolve(payloads);
  };
  prototype.retrieve = function (payloads, options) {
    return payloads.some(isReferencePayload)
      ? retrieve.call(this, payloads, options)
      : Promise.resolve(payloads);
  };
}

/** By the payload's own limit (src/storage/payloads/inline.ts), otherwise the default; measured without encoding. */
export function isLarge({ metadata, data }: Payload): boolean {
  const own = metadata?.[STORE_FROM];
  return (data?.length ?? 0) >= (own ? Number(decode(own)) : DEFAULT_INLINE_BYTES);
}
