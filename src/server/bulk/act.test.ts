/** What one execution that cannot be handled does to its batch. */
import { type Client, ServiceError } from '@temporalio/client';
import { type BulkBatch } from '../../language/plan';
import { type Acting, actOnBatch } from './act';

const UNAVAILABLE = 14;
/** A client whose server answers nothing. */
const client = {
  options: { loadedDataConverter: {} },
  workflow: {
    getHandle: () => ({
      signal: () => {
        const cause = Object.assign(new Error('away'), { code: UNAVAILABLE, details: 'away', metadata: {} });
        return Promise.reject(new ServiceError('away', { cause }));
      },
    }),
  },
} as unknown as Client;

const acting = (isTriedAgain: boolean): Acting => ({ client, dataConverter: {}, isTriedAgain });
const batch: BulkBatch = { bulk: '7', verb: 'pause', executions: ['1', '2'], options: {}, first: 0 };

test('an outage is retried with the batch; at last it is an outcome of each execution', async () => {
  await expect(actOnBatch(acting(true), batch, () => undefined)).rejects.toThrow('away');
  let beats = 0;
  expect(await actOnBatch(acting(false), batch, () => void beats++)).toEqual(
    ['1', '2'].map((execution_id) => ({
      execution_id,
      outcome: 'failed',
      code: 'INTERNAL',
      message: 'away',
    })),
  );
  expect(beats).toBe(2);
});
