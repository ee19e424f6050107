import { ExternalStorage, type Payload, type StorageDriver, StorageDriverClaim } from '@temporalio/common';
import { ExternalStorageRunner } from '@temporalio/common/lib/internal-non-workflow';
import { STORE_FROM } from '../payloads';
import { isLarge, passInlinePayloads } from './inline-payloads';

const stored = new Map<string, Payload>();
const driver: StorageDriver = {
  name: 'memory',
  type: 'memory',
  store: (_, payloads) =>
    Promise.resolve(
      payloads.map((payload) => {
        stored.set(String(stored.size), payload);
        return new StorageDriverClaim({ key: String(stored.size - 1) });
      }),
    ),
  retrieve: (_, claims) => Promise.resolve(claims.map(({ claimData }) => stored.get(claimData['key']!)!)),
};
const driverSelector = (_context: unknown, payload: Payload): StorageDriver | null =>
  isLarge(payload) ? driver : null;
const runner = new ExternalStorageRunner(
  new ExternalStorage({ drivers: [driver], payloadSizeThreshold: 0, driverSelector }),
);
const payload = (bytes: number, from?: number): Payload => ({
  metadata: from === undefined ? {} : { [STORE_FROM]: Buffer.from(String(from)) },
  data: Buffer.alloc(bytes, 'a'),
});

beforeAll(passInlinePayloads);

test('payloads that stay in history pass without an abort signal', async () => {
  const signals = jest.spyOn(globalThis, 'AbortController');
  const some = [payload(0), payload(1023, 1024), payload(256 * 1024 - 1), { metadata: {} }];
  expect(await runner.store(some)).toBe(some);
  expect(await runner.retrieve(some)).toBe(some);
  expect(signals).not.toHaveBeenCalled();
  signals.mockRestore();
});

test.each([
  ['a large payload', payload(256 * 1024)],
  ['one above its own limit', payload(1024, 1024)],
  ['one that is stored at any size', payload(2, 0)],
])('%s among small ones is stored, and fetched again', async (_what, large) => {
  stored.clear();
  const some = [payload(3), large];
  const kept = await runner.store(some);
  expect([kept[0], stored.size]).toEqual([some[0], 1]);
  expect(kept[1]).not.toEqual(some[1]);
  expect(await runner.retrieve(kept)).toEqual(some);
});
