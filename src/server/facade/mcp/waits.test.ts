import { type Client } from '@temporalio/client';
import { type Response } from 'express';
import { executionEnd } from './waits';

test('nobody waits for a client that left before the wait began', async () => {
  const call = (_: unknown, act: () => Promise<unknown>): Promise<unknown> => act();
  const client = { withAbortSignal: call, withDeadline: () => new Promise(() => undefined) };
  const response = { closed: true, once: () => undefined, off: () => undefined };
  expect(
    await executionEnd(client as unknown as Client, '1', response as unknown as Response),
  ).toBeUndefined();
});
