/** A client whose calls go through the native connection is told the same as one of grpc-js, and gives up the same. */
import { randomUUID } from 'node:crypto';
import { type Client, type Connection, isGrpcServiceError } from '@temporalio/client';
import { type NativeConnection } from '@temporalio/worker';
import { awaitedEnd, connect, pagesOfRun } from '../../src/temporal/client';
import { installRuntime, nativeConnection } from '../../src/temporal/worker';
import { startTestServer, type TestServer } from '../support/temporal';

let server: TestServer;
let plain: { client: Client; connection: Connection };
let fast: { client: Client; connection: Connection };
let native: NativeConnection;

beforeAll(async () => {
  installRuntime();
  server = await startTestServer();
  const { address, namespace } = server;
  plain = await connect({ address, namespace });
  fast = await connect({ address, namespace });
  native = await nativeConnection({ address, namespace }, fast.connection);
});
afterAll(async () => {
  await plain?.connection.close();
  await fast?.connection.close();
  await native?.close();
  await server?.stop();
});

const started = (client: Client, workflowId: string, args: unknown[] = []) =>
  client.workflow.start('nobody', { taskQueue: 'nobody', workflowId, args });

/** What there is to tell of an error, and of its cause. */
function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const shown = { name, message, ...(cause === undefined ? {} : { cause: told(cause) }) };
  return isGrpcServiceError(error) ? { code: error.code, details: error.details } : shown;
}

const REFUSED: Readonly<Record<string, (client: Client, workflowId: string) => Promise<unknown>>> = {
  'an id that is taken': (client, id) => started(client, id),
  'an execution that is not there': (client, id) => client.workflow.getHandle(`${id}-not`).describe(),
  'a signal to none': (client, id) => client.workflow.getHandle(`${id}-not`).signal('s'),
  'an end of none': (client, id) => client.workflow.getHandle(`${id}-not`).terminate(),
  'a list that nobody understands': (client) => client.workflow.count('Nothing = "x"'),
  'a schedule that is not there': (client, id) => client.schedule.getHandle(id).describe(),
  'a namespace that is not there': (client) =>
    client.workflowService.describeNamespace({ namespace: 'elsewhere' }),
  'a history of another': (client, workflowId) =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId: 'none' },
    }),
};

test.each(Object.keys(REFUSED))('%s is refused in the same words', async (name) => {
  const id = randomUUID();
  await started(plain.client, id);
  const [expected, seen] = await Promise.all(
    [plain, fast].map(({ client }) =>
      REFUSED[name]!(client, id).then(() => expect('refused').toBe(name), told),
    ),
  );
  expect(seen).toEqual(expected);
});

test('a page of history that is larger than the limit of gRPC arrives', async () => {
  const id = randomUUID();
  const handle = await started(fast.client, id);
  for (let sent = 0; sent < 4; sent += 1) await handle.signal('large', 'x'.repeat(1_500_000));
  const sizes: number[] = [];
  for await (const page of pagesOfRun(fast.client, id, handle.firstExecutionRunId))
    sizes.push(JSON.stringify(page).length);
  expect(Math.max(...sizes)).toBeGreaterThan(6_000_000);
});

test('what waits for something to come is given up', async () => {
  const id = randomUUID();
  const { firstExecutionRunId: run } = await started(fast.client, id);
  const natively = jest.spyOn(native.workflowService, 'getWorkflowExecutionHistory');
  const began = performance.now();
  const late = fast.client.withDeadline(Date.now() + 300, () => awaitedEnd(fast.client, id));
  await expect(late).rejects.toMatchObject({ code: 4 });
  const aborted = new AbortController();
  const following = pagesOfRun(fast.client, id, run, { follow: true, signal: aborted.signal });
  await following.next();
  setTimeout(() => aborted.abort(), 100);
  await expect(following.next()).rejects.toMatchObject({ name: 'AbortError' });
  expect(performance.now() - began).toBeLessThan(5_000);
  // Nothing of it is left with the native connection, which would go on for 20 s; a page that is there goes through it.
  expect(natively).not.toHaveBeenCalled();
  await pagesOfRun(fast.client, id, run).next();
  expect(natively).toHaveBeenCalledTimes(1);
});
