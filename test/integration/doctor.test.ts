/**
 * What `doctor` says of a server, and who refuses a namespace that lacks our search attributes and whose administrator
 * does not let us add them (Temporal Cloud).
 */
import { Client, type Connection } from '@temporalio/client';
import { serverSkew } from '../../src/cli/runtime/examine-clock';
import { noetl } from '../support/process';
import { connect, ensureSearchAttributes, listVisible, startExecution } from '../../src/temporal/client';
import { compile } from '../../src/language/dsl';
import { startWorkers } from '../../src/temporal/worker';
import { type NativeConnection } from '@temporalio/worker';
import { playbookOf } from '../support/simulator';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const BARE = 'bare';
const COMMANDS = [
  ...['NoetlPlaybook', 'NoetlVersion', 'NoetlStatus', 'NoetlExecution'].map(
    (name) => `${name} --type Keyword`,
  ),
  'NoetlLabels --type KeywordList',
  'NoetlRunName --type Keyword',
].map((what) => `temporal operator search-attribute create --namespace ${BARE} --name ${what}`);

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
});
afterAll(async () => await server?.stop());

test('doctor names what is missing, each with the command that mends it', async () => {
  const env = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: BARE,
    DATABASE_URL: '',
    NOETL_STORAGE: '',
  };
  const { code, stdout, stderr } = await noetl(['doctor', '--json'], env);
  // On a busy machine it says whom it waits for.
  expect({ code, said: stderr.replace(/^waiting for .*\n/gm, '') }).toEqual({ code: 0, said: '' });
  const { findings } = JSON.parse(stdout) as { findings: { subject: string }[] };
  const of = (subject: string) => findings.find((one) => one.subject === subject);
  expect(of('Search attributes')).toEqual({
    subject: 'Search attributes',
    status: 'note',
    message: expect.stringContaining(
      'NoetlPlaybook, NoetlVersion, NoetlStatus, NoetlExecution, NoetlLabels, NoetlRunName missing in namespace bare',
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
});

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
});

/** A connection to a server that shows its search attributes and lets nobody add some, as Temporal Cloud does. */
function closedToUs(connection: Connection, more: readonly string[] = []): Connection {
  const denied = Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), { code: 7 });
  const operatorService: object = new Proxy(connection.operatorService, {
    get: (service, name) =>
      ['addSearchAttributes', ...more].includes(String(name))
        ? () => Promise.reject(denied)
        : (Reflect.get(service, name) as unknown),
  });
  return new Proxy(connection, {
    get: (target, name) =>
      name === 'operatorService' ? operatorService : (Reflect.get(target, name) as unknown),
  });
}

test('where search attributes are missing that we may not add, no workflow worker starts, and nothing is started', async () => {
  const { connection } = await connect({ address: server.address, namespace: BARE });
  const closed = closedToUs(connection) as Connection & NativeConnection;
  await expect(
    startWorkers({ connection: closed, namespace: BARE, kinds: [], workflows: true }),
  ).rejects.toMatchObject({
    code: 'SEARCH_ATTRIBUTES_MISSING',
    message: expect.stringContaining('PERMISSION_DENIED') as string,
    hint: ['Ask an administrator to run:', ...COMMANDS],
  });
  // Where they are, nobody needs to be allowed to see so.
  await ensureSearchAttributes(closedToUs(server.connection, ['listSearchAttributes']), 'default');

  const client = new Client({ connection, namespace: BARE });
  const { plan } = compile(playbookOf(`\n- step: start\n  tool: {kind: noop, input: {done: true}}`));
  const missing = { code: 'SEARCH_ATTRIBUTES_MISSING' };
  await expect(startExecution(client, { plan: plan! })).rejects.toMatchObject(missing);
  await expect(listVisible(client, `NoetlStatus = 'started'`, { pageSize: 1 })).rejects.toMatchObject(
    missing,
  );
  await connection.close();
});
