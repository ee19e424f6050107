import { ExternalStorage, type Payload, StorageDriverClaim } from '@temporalio/common';
import { ExternalStorageRunner } from '@temporalio/common/lib/internal-non-workflow';
import { passInlinePayloads } from './inline-payloads';

const stored = new Map<string, Payload>();
const runner = new ExternalStorageRunner(
  new ExternalStorage({
    drivers: [
      {
        name: 'memory',
        type: 'memory',
        store: (_, payloads) =>
          Promise.resolve(
            payloads.map((payload) => {
              stored.set(String(stored.size), payload);
              return new StorageDriverClaim({ key: String(stored.size - 1) });
            }),
          ),
        retrieve: (_, claims) =>
          Promise.resolve(claims.map(({ claimData }) => stored.get(claimData['key']!)!)),
      },
    ],
    payloadSizeThreshold: 1024,
  }),
);
const payload = (bytes: number): Payload => ({ metadata: {}, data: Buffer.alloc(bytes, 'a') });

beforeAll(passInlinePayloads);

test('payloads that stay in history pass without an abort signal', async () => {
  const signals = jest.spyOn(globalThis, 'AbortController');
  const some = [payload(0), payload(1023), { metadata: {} }];
  expect(await runner.store(some)).toBe(some);
  expect(await runner.retrieve(some)).toBe(some);
  expect(signals).not.toHaveBeenCalled();
  signals.mockRestore();
});

test('a large payload among small ones is stored, and fetched again', async () => {
  const some = [payload(3), payload(1024)];
  const kept = await runner.store(some);
  expect([kept[0], stored.size]).toEqual([some[0], 1]);
  expect(kept[1]).not.toEqual(some[1]);
  expect(await runner.retrieve(kept)).toEqual(some);
});
