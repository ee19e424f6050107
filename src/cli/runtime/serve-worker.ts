/** `worker`: a production process that serves task queues. */
import fs from 'node:fs';
import { NativeConnection, type WorkerDeploymentOptions } from '@temporalio/worker';
import { EnvironmentError, hasCode } from '../../language/errors';
import { connectionOptions } from '../../temporal/client';
import {
  configuredFacade,
  deploymentOptions,
  type FacadeAddress,
  installMeasuredRuntime,
  installRuntime,
  type PlaybookResolver,
  startWorkers,
  type Versioning,
  workerLog,
} from '../../temporal/worker';
import { type Meters, type TaskMetrics } from '../../telemetry/metrics';
import { configuredKeyRing, type KeyRing } from '../../storage/keyring';
import { HopelessExecutions } from '../../offline/replay';
import { sealedValues } from '../../storage/sealed';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { sandboxSecrets } from './code-workers';
import { servedKinds } from './served-kinds';
import { forWorkers, openNamedStorage } from './storage';
import { tracingOf } from './tracing';
import { warn } from '../output/say';
import { waitingFor } from '../output/waiting';
import { FacadePlaybooks } from './playbooks/facade-playbooks';
import { firstOf } from './playbooks/first-of';
import { dataFolder } from './data-folder';
import { noteProcess } from './last-process';
import { reach, servedTarget } from './reach';
import { untilInterrupted } from './signals';
import { readinessOf, serveHealth } from './health';

export interface ServeTasksOptions {
  readonly kinds: readonly string[];
  readonly workflows: boolean;
  readonly pool?: string;
  /** Folders whose playbooks are available as sub-playbooks. */
  readonly playbooks: readonly string[];
  /** The build of this release, for worker versioning. */
  readonly versioning: Versioning;
  /** Concurrent tasks in this process, per kind. */
  readonly concurrency?: number | Readonly<Record<string, number>>;
  /** Tasks started per second by all workers of a queue. */
  readonly ratePerSecond?: Readonly<Record<string, number>>;
  /** Storage of large payloads; default NOETL_STORAGE. */
  readonly storage?: string;
  /** Port of the health endpoint; 0 for any, none by default. */
  readonly healthPort?: number;
  readonly healthHost: string;
  /** Milliseconds for running tasks to finish after SIGTERM. */
  readonly graceMs: number;
}

const CONNECT_MS = 30_000;

/** Serves until SIGTERM or Ctrl-C, drains, and returns the exit code: 1 if a worker failed or could not drain. */
export async function serveTasks(options: ServeTasksOptions): Promise<number> {
  const { tools } = extensions();
  const allKinds = servedKinds();
  const kinds = options.kinds.includes('all') ? allKinds : options.kinds;
  const unknown = kinds.filter((kind) => !allKinds.includes(kind));
  if (unknown.length > 0)
    throw new UsageError(
      `--kinds: unknown kind: ${unknown.join(', ')} (known kinds: ${allKinds.join(', ')})`,
    );
  for (const [option, given] of [
    ['--concurrency', options.concurrency],
    ['--rate', options.ratePerSecond],
  ] as const) {
    const stray = Object.keys(typeof given === 'object' ? given : {}).find((kind) => !kinds.includes(kind));
    if (stray !== undefined)
      throw new UsageError(`${option} ${stray}=…: this worker does not serve ${stray}`);
  }
  const missing = options.playbooks.find(
    (folder) => !fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory(),
  );
  if (missing !== undefined) throw new UsageError(`--playbooks ${missing}: there is no such folder`);
  const facade = configuredFacade();
  const deployment = options.workflows ? deploymentOptions(options.versioning) : undefined;
  if (kinds.length === 0 && !options.workflows && options.playbooks.length === 0)
    throw new UsageError('nothing to serve: use --kinds, --workflows or --playbooks');
  if (options.workflows && !facade && options.playbooks.length === 0)
    warn(
      new EnvironmentError(
        'NO_PLAYBOOKS',
        'this worker has no playbooks: sub-playbooks and schedules wait for a worker that has them',
        ['Set the facade (NOETL_FACADE_URL, NOETL_TOKEN), or folders (--playbooks).'],
      ),
    );
  await sandboxSecrets(kinds, options.storage);
  const storage = await openNamedStorage(options.storage);
  let sdkMetrics = (): Promise<string> => Promise.resolve('');
  if (options.healthPort === undefined) installRuntime();
  else sdkMetrics = await installMeasuredRuntime(workerLog());
  await waitingFor(`the storage ${storage.shown}`, storage.check());
  const tracing = tracingOf('worker');
  const target = servedTarget();
  for (const died of noteProcess('worker', dataFolder(undefined))) workerLog().warn({}, died);
  const { connection, client } = await reach(target, CONNECT_MS, storage.dataConverter);
  if (options.workflows) await new HopelessExecutions({ client, log: workerLog() }).atStart();
  await connection.close();
  const native = await NativeConnection.connect(connectionOptions(target));
  const measured = options.healthPort === undefined ? undefined : await measure();
  // From the first poll on, a signal drains: who reads `serving` below may send one before the next line has run.
  const interrupted = untilInterrupted(EXIT.failed);
  const workers = await startWorkers({
    connection: native,
    metrics: measured?.tasks,
    namespace: target.namespace,
    kinds,
    extensions: tools,
    workflows: options.workflows,
    // It lives for long, so the start of a second one does not matter.
    workflowThreads: 2,
    deployment,
    ...(options.workflows && grantKeys()),
    ...(await playbooksOf(options, facade)),
    pool: options.pool,
    concurrency: options.concurrency,
    ratePerSecond: options.ratePerSecond,
    ...forWorkers(storage, target.namespace),
    sealed: sealedValues(configuredKeyRing, storage.results(target.namespace)),
    ...(tracing && { tracing: tracing.worker }),
  });
  process.stderr.write(
    `serving ${workers.taskQueues.join(', ')} of ${target.address}, namespace ${target.namespace}, storage ${storage.shown}\n`,
  );
  if (deployment) process.stderr.write(buildLine(deployment));
  const health = await serveHealth(options, {
    ready: readinessOf(workers, native, target.namespace),
    metrics: async () => (await Promise.all([measured?.meters.text(), sdkMetrics()])).join('\n'),
  });
  const failed = workers.done.then(
    () => 'ended' as const,
    (error: unknown) => error as Error,
  );
  const why = await Promise.race([interrupted, failed]);
  if (why instanceof Error) throw why;
  process.stderr.write(`${why}: draining, at most ${options.graceMs / 1000} s\n`);
  health?.draining();
  const { drained } = await workers.stop({ graceMs: options.graceMs });
  await tracing?.shutdown();
  if (!drained) {
    process.stderr.write('tasks that did not stop will be reassigned to another worker\n');
    process.exit(EXIT.failed);
  }
  health?.close();
  await native.close();
  await storage.close();
  return EXIT.success;
}

/** Keys of grants: a worker of workflows without keys makes none. @throws KeyRingError for invalid keys */
function grantKeys(): { grants?: KeyRing } {
  try {
    return { grants: configuredKeyRing() };
  } catch (error) {
    if (hasCode(error, 'KEY_MISSING')) return {};
    throw error;
  }
}

/** Loaded only for a health endpoint: without it nobody can read them. */
async function measure(): Promise<{ meters: Meters; tasks: TaskMetrics }> {
  const { Meters, TaskMetrics } = await import('../../telemetry/metrics/index.js');
  const meters = new Meters().process();
  return { meters, tasks: new TaskMetrics(meters) };
}

/**
 * Sub-playbooks of the facade's catalog, then of folders; needed by processes that run workflows, or on request.
 */
async function playbooksOf(
  { workflows, playbooks }: ServeTasksOptions,
  facade: FacadeAddress | undefined,
): Promise<{ playbooks?: PlaybookResolver }> {
  const places = [
    ...(facade && (workflows || playbooks.length > 0) ? [new FacadePlaybooks(facade)] : []),
    ...(playbooks.length > 0 ? [await folder(playbooks)] : []),
  ];
  return places.length > 0 ? { playbooks: firstOf(places) } : {};
}

/** Loads the compiler, which other workers do without. */
async function folder(roots: readonly string[]): Promise<PlaybookResolver> {
  const { PlaybookFolder } = await import('../input/playbook-folder.js');
  return new PlaybookFolder(roots);
}

/** Temporal gives executions to a build only once an operator has made it current. */
function buildLine({ version: { deploymentName, buildId } }: WorkerDeploymentOptions): string {
  return `build ${buildId} of deployment ${deploymentName}; to make it current: temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}\n`;
}
