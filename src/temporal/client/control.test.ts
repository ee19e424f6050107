import { type Client, ServiceError } from '@temporalio/client';
import { setVariables } from './control';

/** As the client says that a workflow task failed with the update in its hands. */
function notReady(): ServiceError {
  const said = 'Unable to perform workflow execution update due to unexpected workflow task failure.';
  const cause = Object.assign(new Error(said), { code: 9, details: said, metadata: {} });
  return new ServiceError('Workflow Update failed', { cause });
}

/** Answers an update after `failures` that threw it away. */
function clientAfter(failures: number): { client: Client; ids: unknown[] } {
  const ids: unknown[] = [];
  const executeUpdate = (_name: string, { updateId }: { updateId: string }): Promise<unknown> => {
    ids.push(updateId);
    return ids.length > failures ? Promise.resolve({ set: ['a'] }) : Promise.reject(notReady());
  };
  const client = {
    workflow: { getHandle: () => ({ executeUpdate }) },
    withDeadline: (_at: number, ask: () => Promise<unknown>) => ask(),
  };
  return { client: client as never, ids };
}

test('an update that a failed workflow task threw away is sent again, as the same', async () => {
  const { client, ids } = clientAfter(2);
  expect(await setVariables(client, 'noetl-1', { a: 1 })).toEqual(['a']);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test('where workflow tasks go on failing, nobody answers', async () => {
  const { client, ids } = clientAfter(Infinity);
  await expect(setVariables(client, 'noetl-1', { a: 1 }, 500)).rejects.toMatchObject({
    code: 'WORKER_SILENT',
  });
  expect(ids.length).toBeGreaterThan(1);
});
