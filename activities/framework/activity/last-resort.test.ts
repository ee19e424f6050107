/** Tools that do not end when they have to. */
import { call, context } from '../../../test/support/tool-call';
import { type Outcome } from '../../../src/language/plan';
import { withLastResort } from './last-resort';
import { succeeded, ToolError } from '../tool/outcome';

const never = new Promise<Outcome>(() => undefined);

async function errorOf(work: Promise<unknown>): Promise<ToolError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ToolError);
  return error as ToolError;
}

test('a tool deaf to its time limit: the task ends without it, and the log says so', async () => {
  const ctx = context();
  const { outcome } = await errorOf(withLastResort(call('x', { timeout: 0.02 }), ctx, never, 30));
  expect(outcome.error).toEqual({
    kind: 'timeout',
    code: 'TIMEOUT',
    message:
      'x did not stop within 0.03 s of its time limit, 0.02 s; the worker no longer waits for it, but it may still be running there',
    retryable: true,
  });
  expect(ctx.lines.join()).toContain('a tool did not stop within 0.03 s of its time limit');
});

test.each(['before', 'while'])('a tool deaf to a cancellation %s it runs', async (when) => {
  const ctx = context();
  if (when === 'before') ctx.controller.abort();
  else setTimeout(() => ctx.controller.abort(), 10);
  const { outcome } = await errorOf(withLastResort(call('x', {}), ctx, never, 30));
  expect(outcome.error).toMatchObject({ kind: 'cancelled', code: 'CANCELLED', retryable: false });
  expect(outcome.error!.message).toContain('x did not stop within 0.03 s of being cancelled');
});

test('a tool that ends is left alone, and so is what it throws', async () => {
  const ctx = context();
  const done = succeeded(1);
  expect(await withLastResort(call('x', { timeout: 1 }), ctx, Promise.resolve(done))).toBe(done);
  const thrown = new Error('its own');
  await expect(withLastResort(call('x', {}), ctx, Promise.reject(thrown))).rejects.toBe(thrown);
  expect(ctx.lines).toEqual([]);
});
