/** `dev`: everything a developer needs, until Ctrl-C. */
import fs from 'node:fs';
import { startBulkWorker } from '../../server/bulk';
import { CODEC_PATH, Library, listenError, Metrics, rerunsInThreads, Threads } from '../../server/facade';
import { localKeyRing } from '../../storage/keyring';
import { targetNames } from '../../language/plan';
import { TaskMetrics } from '../../telemetry/metrics';
import { Catalog } from '../../server/store';
import { Closing, EnvironmentError, messageOf } from '../../language/errors';
import { heldPort } from '../../temporal/client';
import { defaultCredentials, startWorkers } from '../../temporal/worker';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { authCacheTtl } from './auth-cache-ttl';
import { PlaybookFolder } from '../input/playbook-folder';
import { paint, wantsColor } from '../output/paint';
import { announceConsole, lockForDev } from './dev-lock';
import { startFacade, uiOrigins } from './facade';
import { registeredText } from '../output/register-text';
import { facadeAt } from './port/facade';
import { registerFiles } from './remote/register-files';
import { PlaybookWatch } from './watch-playbooks';
import { hopelessExecutions } from './hopeless';
import { noteProcess } from './last-process';
import { provideLocalPostgres } from './local-postgres';
import { notificationSettings } from './notifications';
import { projectHere } from './project-here';
import { CatalogPlaybooks } from './playbooks/catalog-playbooks';
import { firstOf } from './playbooks/first-of';
import { dataFolder } from './data-folder';
import { openSession, quietLog, type CliSession } from './session';
import { untilInterrupted } from './signals';
import { encryptsPayloads } from '../../storage/codec';
import { forWorkers } from './storage';
import { openStore } from './store';
import { storedCredentials } from './stored-credentials';
import { besidesItself, ingressSecretOf, pathOf } from './trigger-credentials';
import { type TriggerParts, triggersHere } from './triggers';

const DRAIN_MS = 10_000;
const LOOPBACK = '127.0.0.1';

/**
 * @param options.port of the facade; 0 for any
 * @param options.watch folder whose playbooks are registered whenever they are saved
 * @param options.cors origins allowed to call the facade, besides those on this machine
 * @returns the exit code: 1 if the server or a worker ended unexpectedly
 */
export async function develop(options: DevelopOptions): Promise<number> {
  refuseMissing(options.watch);
  const closing = new Closing((error) => say(`while stopping: ${messageOf(error)}`));
  return await closing.after(() => developUntilStopped(options, closing));
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface DevelopOptions {
  readonly data?: string;
  readonly port: number;
  /** Of the embedded servers, where they must be these. */
  readonly ports: Readonly<Record<'grpc' | 'ui' | 'postgres', number | undefined>>;
  readonly cors: readonly string[];
  /** File with targets of notifications; default NOETL_NOTIFICATIONS. */
  readonly notifications?: string;
  readonly watch?: string;
}

async function developUntilStopped(options: DevelopOptions, closing: Closing): Promise<number> {
  const interrupted = untilInterrupted(EXIT.interrupted);
  const { bold, dim } = paint(wantsColor(process.stderr));
  const given = notificationSettings(options.notifications);
  closing.add(lockForDev(dataFolder(options.data)));
  noteProcess('dev', dataFolder(options.data)).forEach(say);
  // Reserved before the facade listens, because the Temporal server starts first and needs to know the codec
  // address of its UI.
  const reservation = await heldPort(options.port).catch((error: NodeJS.ErrnoException) => {
    throw listenError(error, LOOPBACK, options.port);
  });
  closing.add(() => reservation.release());
  // A well-known port was only tested, so that a conflict is reported before servers are started; it is released
  // until the facade listens, so that clients retrying meanwhile are refused a connection.
  if (options.port !== 0) await reservation.release();
  const { port } = reservation;
  const codec = `http://${LOOPBACK}:${port}${CODEC_PATH}`;
  // Messages lead to the console of this process, unless the file names another address.
  const settings = { url: `http://${LOOPBACK}:${port}`, ...given };
  const session = await openSession('dev', dataFolder(options.data), {
    report: say,
    uiCodecEndpoint: codec,
    ports: options.ports,
  });
  closing.add(() => session.close());
  refuseOtherPort('--temporal-port', options.ports.grpc, session.target.address);
  refuseOtherPort('--ui-port', options.ports.ui, session.ui);
  const stored = storedCredentials(dataFolder(options.data), pathOf(session.client));
  closing.add(() => stored.close());
  const credentials = defaultCredentials(besidesItself({ host: LOOPBACK, port }), [stored.provider]);
  const store = await openStore({ data: options.data, port: options.ports.postgres });
  closing.add(() => store.close());
  refuseOtherPort('--postgres-port', options.ports.postgres, store.shown);
  const threads = new Threads({ kinds: extensions().kinds, sources: extensions().sourceFields });
  closing.add(() => threads.close());
  // After the projection's tables, which playbooks may read.
  const postgres = await provideLocalPostgres('always', dataFolder(options.data), credentials);
  if (postgres) closing.add(() => postgres.stop());
  const folder = new PlaybookFolder([process.cwd()]);
  const library = new Library(new Catalog(store.database.query), threads);
  const { namespace } = session.target;
  const metrics = new Metrics();
  const hopeless = hopelessExecutions(session.client, say);
  await hopeless.atStart();
  closing.add(hopeless.start());
  const workers = await startWorkers({
    connection: session.native,
    metrics: new TaskMetrics(metrics.meters),
    namespace,
    ...forWorkers(session.storage, namespace),
    credentials,
    sealed: session.sealed,
    workflows: true,
    extensions: extensions().tools,
    playbooks: firstOf([new CatalogPlaybooks(library), folder]),
    tracing: session.tracing?.worker,
    log: quietLog(),
  });
  closing.add(() => workers.stop({ graceMs: DRAIN_MS }));
  const reruns = rerunsInThreads(session.client);
  closing.add(() => reruns.close());
  const bulk = await startBulkWorker({
    connection: session.native,
    client: session.client,
    dataConverter: session.storage.dataConverter,
    prepare: reruns.prepare,
  });
  closing.add(() => bulk.stop());
  const keys = localKeyRing(dataFolder(options.data));
  // On an external server it would project the executions of all its users: use `project` there.
  if (session.embedded)
    closing.add(
      projectHere(session.client, store.database.url, {
        meters: metrics.meters,
        settings: Object.assign({ url: `http://${LOOPBACK}:${port}` }, settings),
        credentials,
        keys,
        work: { target: session.target, data: dataFolder(options.data) },
        report: (line) => say(`projection: ${line}`),
      }),
    );
  closing.add(
    triggersHere({
      client: session.client,
      database: store.database,
      library,
      threads,
      credentials,
      metrics,
      keys,
      sealed: session.sealed,
      ...tracedBy(session),
      report: say,
    }),
  );
  const report = (error: unknown): void => say(`facade: ${messageOf(error)}`);
  await reservation.release();
  const facade = await startFacade({
    client: session.client,
    database: store.database,
    keys,
    ingressSecret: ingressSecretOf(credentials),
    authCacheTtlMs: authCacheTtl(),
    ...uiOrigins(session.ui),
    sealed: session.sealed,
    logs: session.storage.logs(namespace),
    cache: session.storage.cache(namespace),
    results: session.storage.results(namespace),
    ...tracedBy(session),
    playbooks: folder,
    listedTargets: targetNames(settings.targets),
    host: LOOPBACK,
    port,
    tokens: false,
    edge: { cors: options.cors, traced: session.tracing?.requests },
    metrics,
    report,
  });
  closing.add(() => facade.close());
  if (options.watch !== undefined) closing.add(watchInto(facade.url, options.watch));
  announceConsole(dataFolder(options.data), facade.url);
  say(`${bold('Console')}    ${facade.url}/`);
  say(`${bold('REST')}       ${facade.url}/api/health`);
  say(`${bold('Temporal')}   ${session.target.address}  ${dim(`namespace ${namespace}`)}`);
  if (session.ui) say(`${bold('UI')}         ${session.ui}/namespaces/${namespace}/workflows`);
  leftToOthers(session).forEach((line) => say(dim(line)));
  if (encryptsPayloads() && session.uiCodecEndpoint !== codec)
    say(dim(`           payloads are encrypted: set "Codec Server" of the UI to ${codec}`));
  if (postgres) say(`${bold('Postgres')}   ${withoutPassword(postgres.url)}  ${dim('credential pg_local')}`);
  say(`${bold('Workers')}    ${workers.taskQueues.join(', ')}`);
  say(dim('Ctrl-C stops everything.'));
  const failed = Promise.all([workers.done, bulk.done]).then(
    () => 'a worker ended',
    (error: unknown) => `a worker failed: ${String(error)}`,
  );
  const why = await Promise.race([
    interrupted,
    failed,
    session.ended.then(() => endOf('the Temporal server', session.logFile)),
    store.ended.then(() => endOf('the embedded Postgres', store.logFile)),
  ]);
  const isRequested = why === 'SIGINT' || why === 'SIGTERM';
  say(isRequested ? 'Stopping …' : `Stopping: ${why}`);
  return isRequested ? EXIT.success : EXIT.failed;
}

function tracedBy({ tracing }: Pick<CliSession, 'tracing'>): Pick<TriggerParts, 'within'> {
  return tracing ? { within: tracing.within } : {};
}

/** @throws EnvironmentError if the server has another port: that one is taken, or it is a server that ran before */
function refuseOtherPort(option: string, port: number | undefined, address = 'another port'): void {
  if (!port || new RegExp(`:${port}(/|$)`).test(address)) return;
  throw new EnvironmentError('PORT_IN_USE', `${option} ${port} is not to be had: the server has ${address}`, [
    'Another program has the port, or the server of this data folder runs already: choose another port, or stop that.',
  ]);
}

function refuseMissing(folder: string | undefined): void {
  if (folder === undefined || fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new UsageError(`--watch ${folder}: there is no such folder`);
}

/** @returns a function that stops it */
function watchInto(url: string, folder: string): () => Promise<void> {
  const colors = paint(wantsColor(process.stderr));
  return new PlaybookWatch(folder, {
    register: (files) => registerFiles(facadeAt({ url }), files),
    report: (outcome) => say(registeredText(outcome, colors)),
    trouble: (message) => say(`--watch: ${message}`),
  }).start();
}

function endOf(who: string, logFile: string | undefined): string {
  return `${who} ended${logFile === undefined ? '' : `; its log: ${logFile}`}`;
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.toString();
}

/** On an external server it would project the executions of all its users. */
function leftToOthers({ embedded }: { readonly embedded: boolean }): string[] {
  return embedded
    ? []
    : ['           projection and notifications are off on an external server: run noetl-temporal project'];
}
