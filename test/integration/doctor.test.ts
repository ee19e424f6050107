/**
 * What `doctor` says of a server, and how executions fare in a namespace that lacks our search attributes and whose
 * administrator does not let us add them (Temporal Cloud).
 */
import { Client, type Connection } from '@temporalio/client';
import { serverSkew } from '../../src/cli/runtime/examine-clock';
import { noetl } from '../support/process';
import {
  connect,
  type EnvironmentError,
  listVisible,
  offerSearchAttributes,
  startExecution,
} from '../../src/temporal';
import { compile } from '../../src/dsl';
import { installRuntime, startWorkers } from '../../src/worker';
import { NativeConnection } from '@temporalio/worker';
import { playbookOf } from '../support/simulator';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const BARE = 'bare';
const COMMANDS = ['NoetlPlaybook', 'NoetlVersion', 'NoetlStatus'].map(
  (name) => `temporal operator search-attribute create --namespace ${BARE} --name ${name} --type Keyword`,
);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const day = { seconds: 86_400 as never };
  await server.connection.workflowService.registerNamespace({
    namespace: BARE,
    workflowExecutionRetentionPeriod: day,
  });
  // Namespaces come into effect a moment later.
  await until(async () => {
    const { connection } = await connect({ address: server.address, namespace: BARE });
    await connection.close();
    return true;
  }, 60_000);
}, 120_000);
afterAll(async () => await server?.stop(), 60_000);

test('doctor names what is missing, each with the command that mends it', async () => {
  const env = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: BARE,
    DATABASE_URL: '',
    NOETL_STORAGE: '',
  };
  const { code, stdout, stderr } = await noetl(['doctor', '--json'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { findings } = JSON.parse(stdout) as { findings: { subject: string }[] };
  const of = (subject: string) => findings.find((one) => one.subject === subject);
  expect(of('Search attributes')).toEqual({
    subject: 'Search attributes',
    status: 'note',
    found: expect.stringContaining(
      'NoetlPlaybook, NoetlVersion, NoetlStatus missing in namespace bare',
    ) as string,
    fix: COMMANDS,
  });
  expect(of('Task queues')).toMatchObject({
    status: 'note',
    fix: [
      'noetl-temporal worker --workflows',
      expect.stringMatching(/^noetl-temporal worker --kinds http,\S*python/) as string,
    ],
  });
  expect(of('Clock')).toMatchObject({ status: 'ok' });
}, 120_000);

test('a clock that differs is seen', async () => {
  expect(Math.abs((await serverSkew(server.connection, 'default'))!)).toBeLessThan(5_000);
  const ours = jest
    .spyOn(Date, 'now')
    .mockImplementation(() => performance.timeOrigin + performance.now() - 600_000);
  try {
    const skew = (await serverSkew(server.connection, 'default'))!;
    expect(Math.round(skew / 60_000)).toBe(10);
  } finally {
    ours.mockRestore();
  }
}, 60_000);

/** A connection to a server that shows its search attributes and lets nobody add some, as Temporal Cloud does. */
function closedToUs(connection: Connection): Connection {
  const denied = Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), { code: 7 });
  const operatorService: object = new Proxy(connection.operatorService, {
    get: (service, name) =>
      name === 'addSearchAttributes' ? () => Promise.reject(denied) : (Reflect.get(service, name) as unknown),
  });
  return new Proxy(connection, {
    get: (target, name) =>
      name === 'operatorService' ? operatorService : (Reflect.get(target, name) as unknown),
  });
}

test('search attributes that we may not add are told, and executions run without them', async () => {
  const { connection } = await connect({ address: server.address, namespace: BARE });
  const told: EnvironmentError[] = [];
  await offerSearchAttributes(closedToUs(connection), BARE, (missing) => told.push(missing));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    code: 'SEARCH_ATTRIBUTES_MISSING',
    message: expect.stringContaining('PERMISSION_DENIED') as string,
    fix: ['Let an administrator run:', ...COMMANDS],
  });

  installRuntime();
  const client = new Client({ connection, namespace: BARE });
  const native = await NativeConnection.connect({ address: server.address });
  const workers = await startWorkers({ connection: native, namespace: BARE, kinds: [], workflows: true });
  try {
    const { plan } = compile(playbookOf(`\n- step: start\n  tool: {kind: noop, input: {done: true}}`));
    const { handle } = await startExecution(client, { plan: plan! });
    expect(await handle.result()).toMatchObject({ status: 'completed' });
    await expect(listVisible(client, `NoetlStatus = 'running'`, { pageSize: 1 })).rejects.toMatchObject({
      code: 'SEARCH_ATTRIBUTES_MISSING',
    });
  } finally {
    await workers.stop({ graceMs: 0 });
    await native.close();
    await connection.close();
  }
}, 120_000);
