/**
 * The workers of one process: one for workflows, one per tool kind with its own queue, over a common connection.
 */
import { numberSetting } from '../../language/errors/number-settings';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type DataConverter } from '@temporalio/common';
import {
  type NativeConnection,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { TEMPORAL_RESULT_LIMIT } from '../../../activities/framework/activity/activity';
import { localActivity, type Tools } from '../../../activities/framework/local/activity';
import { limitActivities } from '../../../activities/framework/activity/limits';
import { type PlaybookResolver } from '../../../activities/framework/activity/playbook-refused';
import { resolveActivity } from '../../../activities/framework/activity/playbooks';
import { type CredentialResolver, defaultCredentials } from '../../../activities/framework/credentials';
import { defaultKeychain, type Keychain } from '../../../activities/framework/keychain';
import { keychainCheck } from '../../../activities/framework/keychain/check';
import { readyForProcesses } from '../../../activities/framework/process/ready';
import { processSlots } from '../../../activities/framework/process/slots';
import { closeTools, registry } from '../../../activities/registry';
import { type Tool } from '../../../activities/framework/tool/tool';
import {
  CASCADE_ACTIVITY,
  type CascadeInput,
  compact,
  declarationOf,
  KEYCHAIN_CHECKER,
  KEYCHAIN_KIND,
  LOCAL_KIND,
  PLAYBOOK_TASK_QUEUE,
  RESOLVE_ACTIVITY,
} from '../../language/plan';
import { grantCodec } from '../../storage/codec';
import { type KeyRing } from '../../storage/keyring';
import { type LogStore, LogWriter } from '../../telemetry/logs';
import { type TaskMetrics } from '../../telemetry/metrics';
import { type ResultStore, type StepCache } from '../../storage/payloads';
import { type SealedValues } from '../../storage/sealed';
import { NO_RUN_SPANS, type WorkerTracing } from '../../telemetry/tracing';
import { ensureSearchAttributes } from '../client/connect';
import { finishCascade } from '../client/family';
import { taskQueue, WORKFLOW_TASK_QUEUE } from '../client/naming';
import { currentLocal, toolActivity } from './activities';
import { loadWorkflowBundle } from './bundle';
import { guardProcess } from './guard';
import { type WorkerLog, workerLog } from './log';

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Tools of extension modules, in addition to the registry's. */
  readonly extensions?: readonly Tool[];
  /**
   * Tool kinds to serve, including `local` for loops with `exec: local`; default all. @throws for an unknown kind
   */
  readonly kinds?: readonly string[];
  /** Serves `noetl-<pool>-<kind>` instead of `noetl-<kind>`. */
  readonly pool?: string;
  /** Whether to run workflows. */
  readonly workflows: boolean;
  /** Threads for them; default 1, which starts soonest. With 2, one that computes for long delays half of the others, not all. */
  readonly workflowThreads?: number;
  /** The build of the workflow worker; none by default. */
  readonly deployment?: WorkerDeploymentOptions;
  /** Resolves sub-playbooks; without it this process leaves them to others. */
  readonly playbooks?: PlaybookResolver;
  /** The queues of the resolver; default `noetl-playbooks`, for all executions. */
  readonly playbookQueues?: readonly string[];
  readonly dataConverter?: DataConverter;
  /** Default: environment, files, and the facade if configured (activities/framework/credentials). */
  readonly credentials?: CredentialResolver;
  /** Encrypted values (`spec.sensitive`, secret fields of the workload). */
  readonly sealed?: SealedValues;
  /** Keys with which calls of workflows get their grants; without them, tasks get none. */
  readonly grants?: KeyRing;
  /** Default: one per process, which shares tokens through the facade if configured. */
  readonly keychain?: Keychain;
  /** Concurrent tasks per kind; default: as declared by the kind. */
  readonly concurrency?: number | Readonly<Record<string, number>>;
  /** Tasks started per second and kind, over all workers of the queue. */
  readonly ratePerSecond?: Readonly<Record<string, number>>;
  /** Raise it only if `dataConverter` stores large payloads externally. */
  readonly maxResultBytes?: number;
  /** The store of large results for tools that use it (artifact). */
  readonly results?: ResultStore;
  /** Results that equal calls may reuse (`spec.cache`). */
  readonly cache?: StepCache;
  /** Storage for output of tasks; without it, output is only visible after the task. */
  readonly logs?: LogStore;
  /** Counts tasks. */
  readonly metrics?: TaskMetrics;
  /** Spans of runs and tasks; none by default. */
  readonly tracing?: WorkerTracing;
  readonly log?: WorkerLog;
}

export interface WorkerStatus {
  readonly task_queue: string;
  /** RUNNING, DRAINING, STOPPED, FAILED, … as in the Temporal SDK. */
  readonly state: string;
  /** Running tasks. */
  readonly tasks: number;
}

export interface RunningWorkers {
  /** Settles when all workers have stopped; rejects if one failed. */
  readonly done: Promise<void>;
  readonly taskQueues: readonly string[];
  /** Resolves when the tasks' output so far is stored or dropped. */
  flush(): Promise<void>;
  /** The state of each worker. */
  status(): WorkerStatus[];
  /**
   * Drains: takes no new tasks, lets running ones finish for `graceMs`, then cancels them (Temporal gives them to
   * another worker). Returns after `graceMs` + 5 s at the latest, drained or not.
   */
  stop(options?: { graceMs?: number }): Promise<{ drained: boolean }>;
}

const LOCAL_CONCURRENCY = 64;
const OTHER_CONCURRENCY = 32;
/**
 * A workflow task waits so long for the worker that knows its execution, in a queue where executions take no turns; then
 * any worker takes it.
 */
const STICKY_MS = 2_000;
/**
 * Each thread answers those of its executions one after the other. What a worker has taken it must answer within Temporal's 10 s; what
 * stays in the queue takes turns with others, and any worker may have it.
 */
const WORKFLOW_TASKS = 8;
/**
 * The share of a worker's polls that ask for what takes turns; the others ask for what its own executions have to do
 * next. With the SDK's fifth, whoever is new waits behind one whose executions always have something to do.
 */
const POLLS_FOR_NEW = 0.75;
const DEFAULT_GRACE_MS = 10_000;
const FORCE_AFTER_MS = 5000;

/** It would be recorded with each task, and says nothing: the SDK's default is its own name and version. */
const TOOLS_BUILD = '';

/** @throws EnvironmentError `SEARCH_ATTRIBUTES_MISSING` if workflows are to run, which set them */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const log = options.log ?? workerLog();
  guardProcess(log);
  const { extensions = [] } = options;
  const tools: Tools = new Map([...registry, ...extensions.map((tool) => [tool.kind, tool] as const)]);
  const kinds = options.kinds ?? [...tools.keys(), LOCAL_KIND];
  for (const kind of kinds) {
    if (tools.has(kind) || kind === LOCAL_KIND) continue;
    throw new Error(`there is no tool kind '${kind}' (${[...tools.keys(), LOCAL_KIND].join(', ')})`);
  }
  await prepareFor(kinds);
  const { credentials = defaultCredentials(), keychain = defaultKeychain() } = options;
  const secrets = { credentials, keychain };
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one per running task
  const common = {
    connection: options.connection,
    namespace: options.namespace,
    ...(options.dataConverter && { dataConverter: options.dataConverter }),
    sinks: options.tracing?.sinks ?? NO_RUN_SPANS,
    ...(options.tracing && { interceptors: { activity: [options.tracing.activities] } }),
  };
  if (options.workflows) await ensureSearchAttributes(options.connection, options.namespace);
  const logs = writerOf(options, log);
  const workers = await Promise.all([
    ...(options.workflows ? [createWorkflowWorker(common, options)] : []),
    ...playbookWorkers(common, options),
    ...kinds.map((kind) =>
      createKindWorker(kind, tools, common, { ...options, ...secrets, writer: logs }, log, stopping.signal),
    ),
  ]);
  return run(workers, { extensions, stopping, log, logs });
}

type Common = Pick<WorkerOptions, 'connection' | 'namespace' | 'dataConverter' | 'sinks' | 'interceptors'>;

/**
 * Only workers of workflows have versions: histories must fit the code, while a tool is called by a contract that is the
 * same for all builds.
 */
async function createWorkflowWorker(
  common: Common,
  { deployment, grants, workflowThreads = 1 }: WorkersOptions,
): Promise<Worker> {
  const { workflowBundle, buildId } = await loadWorkflowBundle();
  const { payloadCodecs = [], ...converter } = common.dataConverter ?? {};
  return Worker.create({
    ...common,
    dataConverter: { ...converter, payloadCodecs: [grantCodec(grants), ...payloadCodecs] },
    taskQueue: WORKFLOW_TASK_QUEUE,
    workflowBundle,
    ...(deployment ? { workerDeploymentOptions: deployment } : { buildId }),
    activities: { ...limitActivities, [CASCADE_ACTIVITY]: finishHere },
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
    workflowThreadPoolSize: workflowThreads,
    nonStickyToStickyPollRatio: POLLS_FOR_NEW,
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    maxConcurrentActivityTaskExecutions: OTHER_CONCURRENCY,
    shutdownGraceTime: 0,
    shutdownForceTime: FORCE_AFTER_MS,
  });
}

async function finishHere(input: CascadeInput): Promise<void> {
  await finishCascade(Context.current().client, input);
}

function playbookWorkers(
  common: Common,
  {
    playbooks,
    playbookQueues = [PLAYBOOK_TASK_QUEUE],
    maxResultBytes = TEMPORAL_RESULT_LIMIT,
  }: WorkersOptions,
): Promise<Worker>[] {
  if (!playbooks) return [];
  const activities = { [RESOLVE_ACTIVITY]: resolveActivity(playbooks, maxResultBytes, familyLimit()) };
  return playbookQueues.map((taskQueue) =>
    Worker.create({
      ...common,
      taskQueue,
      activities,
      maxConcurrentActivityTaskExecutions: OTHER_CONCURRENCY,
    }),
  );
}

function createKindWorker(
  kind: string,
  tools: Tools,
  common: Common,
  options: WorkersOptions &
    Required<Pick<WorkersOptions, 'credentials' | 'keychain'>> & { readonly writer: LogWriter | undefined },
  log: WorkerLog,
  stopping: AbortSignal,
): Promise<Worker> {
  const { credentials, keychain, sealed, maxResultBytes, results, cache, writer, metrics, tracing } = options;
  const services = {
    credentials,
    keychain,
    stopping,
    log: log.child({ kind }),
    ...compact({
      sealed,
      maxResultBytes,
      results,
      cache,
      logs: writer,
      ended: metrics?.ended.bind(metrics),
      traceHeaders: tracing?.headersFor,
      traceId: tracing?.traceId,
    }),
  };
  const rate = options.ratePerSecond?.[kind];
  return Worker.create({
    ...common,
    taskQueue: taskQueue(kind, options.pool),
    buildId: TOOLS_BUILD,
    activities: {
      [kind]:
        kind === LOCAL_KIND
          ? localActivity(tools, services, currentLocal, (one) => processesOf(one, options.concurrency))
          : toolActivity(tools.get(kind)!, services, metrics),
      ...(kind === KEYCHAIN_CHECKER && { [KEYCHAIN_KIND]: toolActivity(keychainCheck, services) }),
    },
    maxConcurrentActivityTaskExecutions: concurrencyOf(kind, tools.get(kind), options.concurrency),
    ...compact({ maxTaskQueueActivitiesPerSecond: rate }),
    // Cancellations arrive with heartbeats: the defaults (30 s and more) would delay Ctrl-C.
    maxHeartbeatThrottleInterval: 500,
    defaultHeartbeatThrottleInterval: 500,
    // The caller of `stop` decides at shutdown how long running tasks may finish.
    shutdownGraceTime: '1 day',
  });
}

/** Concurrent tasks in a worker of the kind. */
function concurrencyOf(kind: string, tool: Tool | undefined, given: WorkersOptions['concurrency']): number {
  if (typeof given === 'number') return given;
  const usual = kind === LOCAL_KIND ? LOCAL_CONCURRENCY : OTHER_CONCURRENCY;
  const declared = declarationOf(kind);
  const fitting = declared?.processes ? processSlots() : usual;
  return given?.[kind] ?? tool?.concurrency ?? declared?.concurrency ?? fitting;
}

/** Where a kind's tasks are processes. */
async function prepareFor(kinds: readonly string[]): Promise<void> {
  if (kinds.some((kind) => kind === LOCAL_KIND || declarationOf(kind)?.processes)) await readyForProcesses();
}

/** Processes at once of a kind whose tasks are processes; undefined for others. */
function processesOf(kind: string, given: WorkersOptions['concurrency']): number | undefined {
  return declarationOf(kind)?.processes ? concurrencyOf(kind, undefined, given) : undefined;
}

/** NOETL_FAMILY_LIMIT: sub-playbooks of one family that are open at once; in all, ten times as many. */
function familyLimit(): number | undefined {
  return numberSetting('NOETL_FAMILY_LIMIT');
}

/** NOETL_TASK_LOGS: limit of one task's stored output in MiB (16), or `off`. */
function writerOf({ logs: store, metrics }: WorkersOptions, log: WorkerLog): LogWriter | undefined {
  const mib = numberSetting('NOETL_TASK_LOGS');
  if (!store || mib === 0 || /^(off|false|no)$/i.test(process.env['NOETL_TASK_LOGS']?.trim() ?? ''))
    return undefined;
  return new LogWriter(store, {
    lost(lines, why) {
      log.warn({ storage: store.shown, lines, why }, 'lines that tasks printed could not be stored');
      metrics?.linesLost(lines);
    },
    ...(mib !== undefined && { taskLimit: mib * 1024 * 1024 }),
  });
}

/** Sets of workers in this process: they share the tools, and the last one to stop closes them. */
let sets = 0;

/** Time for the store to take the tasks' last lines. */
const FLUSH_MS = 5_000;

/** Shared by the workers of a set. */
interface Shared {
  readonly extensions: readonly Tool[];
  readonly stopping: AbortController;
  readonly log: WorkerLog;
  readonly logs: LogWriter | undefined;
}

function run(workers: readonly Worker[], { extensions, stopping, log, logs }: Shared): RunningWorkers {
  sets++;
  const flush = async (): Promise<void> => {
    if (logs) await Promise.race([logs.flush(), sleep(FLUSH_MS, undefined, { ref: false })]);
  };
  const shutdownAll = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const running = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      // With one failed worker the process would look alive but serve only some of its queues.
      log.error(
        { task_queue: worker.options.taskQueue, error: String(error) },
        'a worker failed; stopping the others',
      );
      shutdownAll();
      throw error;
    }),
  );
  const done = Promise.allSettled(running).then(async (ends) => {
    await flush();
    sets--;
    if (sets === 0) await closeTools(extensions);
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
  });
  // Callers may await `done`, but need not.
  done.catch(() => undefined);
  return {
    done,
    taskQueues: workers.map((worker) => worker.options.taskQueue),
    flush,
    status: () =>
      workers.map((worker) => {
        const { runState, numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
        return {
          task_queue: worker.options.taskQueue,
          state: runState,
          tasks: numInFlightActivities + numInFlightWorkflowActivations,
        };
      }),
    async stop({ graceMs = DEFAULT_GRACE_MS } = {}) {
      shutdownAll();
      const graceEnds = setTimeout(() => stopping.abort(), graceMs);
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<false>(
        (resolve) => (timer = setTimeout(() => resolve(false), graceMs + FORCE_AFTER_MS)),
      );
      const drained = await Promise.race([
        done.then(
          () => true,
          () => true,
        ),
        limit,
      ]);
      clearTimeout(timer);
      clearTimeout(graceEnds);
      return { drained };
    },
  };
}
