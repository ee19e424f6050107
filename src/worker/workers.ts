/** The workers of one process: workflows on one queue, every tool kind on its own, all over one connection. */
import { setMaxListeners } from 'node:events';
import { Context } from '@temporalio/activity';
import { type DataConverter } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  asActivity,
  TEMPORAL_RESULT_LIMIT,
  type ToolServices,
} from '../../activities/framework/activity/activity';
import { localActivity, type LocalActivityPort, type Tools } from '../../activities/framework/local/activity';
import { onTheWire } from '../../activities/framework/activity/wire';
import { type PlaybookResolver } from '../../activities/framework/activity/playbook-refused';
import { resolveActivity } from '../../activities/framework/activity/playbooks';
import { type CredentialResolver, defaultCredentials } from '../../activities/framework/credentials';
import { defaultKeychain, type Keychain } from '../../activities/framework/keychain';
import { keychainCheck } from '../../activities/framework/keychain/check';
import { closeTools, registry } from '../../activities/registry';
import { type Tool } from '../../activities/framework/tool/tool';
import {
  type ActivityIdentity,
  declarationOf,
  KEYCHAIN_CHECKER,
  KEYCHAIN_KIND,
  LOCAL_KIND,
  PLAYBOOK_TASK_QUEUE,
  RESOLVE_ACTIVITY,
} from '../plan';
import { type ResultStore } from '../payloads';
import { type SealedValues } from '../sealed';
import { NO_RUN_SPANS, type WorkerTracing } from '../tracing';
import { ensureSearchAttributes } from '../temporal/connect';
import { taskQueue, WORKFLOW_TASK_QUEUE } from '../temporal/naming';
import { loadWorkflowBundle } from './bundle';
import { guardProcess } from './guard';
import { type WorkerLog, workerLog } from './log';

export interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Tools of extension modules, beside those of the registry. */
  readonly extensions?: readonly Tool[];
  /** Tool kinds to serve, `local` for loops with `exec: local` among them; default all. @throws for a kind that does not exist */
  readonly kinds?: readonly string[];
  /** Serves `noetl-<pool>-<kind>` instead of `noetl-<kind>`. */
  readonly pool?: string;
  /** Whether workflows run here too. */
  readonly workflows: boolean;
  /** Finds sub-playbooks; without it this process leaves them to others. */
  readonly playbooks?: PlaybookResolver;
  /** Where it is asked; default `noetl-playbooks`, for all executions. */
  readonly playbookQueues?: readonly string[];
  readonly dataConverter?: DataConverter;
  /** Default: environment, files, and the facade where one is configured (activities/framework/credentials). */
  readonly credentials?: CredentialResolver;
  /** Values that are kept encrypted (`spec.sensitive`, secret fields of the workload). */
  readonly sealed?: SealedValues;
  /** Default: that of this process, which shares tokens through the facade where one is configured. */
  readonly keychain?: Keychain;
  /** Tasks at once, per kind; default: what the kind declares. */
  readonly concurrency?: number | Readonly<Record<string, number>>;
  /** Tasks started per second and kind, over all workers of the queue. */
  readonly ratePerSecond?: Readonly<Record<string, number>>;
  /** Raise it only when `dataConverter` stores large payloads elsewhere. */
  readonly maxResultBytes?: number;
  /** The store of large results for tools that use it (artifact). */
  readonly results?: ResultStore;
  /** Spans of runs and tasks; none by default. */
  readonly tracing?: WorkerTracing;
  readonly log?: WorkerLog;
}

export interface WorkerStatus {
  readonly task_queue: string;
  /** RUNNING, DRAINING, STOPPED, FAILED, … as the Temporal SDK calls it. */
  readonly state: string;
  /** Tasks in flight. */
  readonly tasks: number;
}

export interface RunningWorkers {
  /** Settles when all workers have stopped; rejects when one failed. */
  readonly done: Promise<void>;
  readonly taskQueues: readonly string[];
  /** What each worker is doing. */
  status(): WorkerStatus[];
  /**
   * Drains: no new task is taken, running ones may finish for `graceMs`, then they are cancelled (Temporal gives them
   * to another worker). Returns after `graceMs` + 5 s at the latest, drained or not.
   */
  stop(options?: { graceMs?: number }): Promise<{ drained: boolean }>;
}

const LOCAL_CONCURRENCY = 64;
const OTHER_CONCURRENCY = 32;
const DEFAULT_GRACE_MS = 10_000;
const FORCE_AFTER_MS = 5000;

/** @throws EnvironmentError `SEARCH_ATTRIBUTES_MISSING` where workflows are to run, which note them */
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
  const { credentials = defaultCredentials(), keychain = defaultKeychain() } = options;
  const secrets = { credentials, keychain };
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // one for each running task
  const common = {
    connection: options.connection,
    namespace: options.namespace,
    ...(options.dataConverter && { dataConverter: options.dataConverter }),
    sinks: options.tracing?.sinks ?? NO_RUN_SPANS,
    ...(options.tracing && { interceptors: { activity: [options.tracing.activities] } }),
  };
  if (options.workflows) await ensureSearchAttributes(options.connection, options.namespace);
  const workers = await Promise.all([
    ...(options.workflows ? [createWorkflowWorker(common)] : []),
    ...playbookWorkers(common, options),
    ...kinds.map((kind) =>
      createKindWorker(kind, tools, common, { ...options, ...secrets }, log, stopping.signal),
    ),
  ]);
  return run(workers, extensions, stopping, log);
}

type Common = Pick<WorkerOptions, 'connection' | 'namespace' | 'dataConverter' | 'sinks' | 'interceptors'>;

async function createWorkflowWorker(common: Common): Promise<Worker> {
  return Worker.create({
    ...common,
    taskQueue: WORKFLOW_TASK_QUEUE,
    ...(await loadWorkflowBundle()),
    shutdownGraceTime: 0,
    shutdownForceTime: FORCE_AFTER_MS,
  });
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
  const activities = { [RESOLVE_ACTIVITY]: resolveActivity(playbooks, maxResultBytes) };
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
  options: WorkersOptions & Required<Pick<WorkersOptions, 'credentials' | 'keychain'>>,
  log: WorkerLog,
  stopping: AbortSignal,
): Promise<Worker> {
  const services = {
    credentials: options.credentials,
    keychain: options.keychain,
    stopping,
    ...(options.sealed && { sealed: options.sealed }),
    log: log.child({ kind }),
    ...(options.maxResultBytes !== undefined && { maxResultBytes: options.maxResultBytes }),
    ...(options.results && { results: options.results }),
    ...(options.tracing && {
      traceHeaders: options.tracing.headersFor,
      traceId: options.tracing.traceId,
    }),
  };
  const rate = options.ratePerSecond?.[kind];
  return Worker.create({
    ...common,
    taskQueue: taskQueue(kind, options.pool),
    activities: {
      [kind]:
        kind === LOCAL_KIND
          ? localActivity(tools, services, currentLocal)
          : toolActivity(tools.get(kind)!, services),
      ...(kind === KEYCHAIN_CHECKER && { [KEYCHAIN_KIND]: toolActivity(keychainCheck, services) }),
    },
    maxConcurrentActivityTaskExecutions: concurrencyOf(kind, tools.get(kind), options.concurrency),
    ...(rate !== undefined && { maxTaskQueueActivitiesPerSecond: rate }),
    // Heartbeats are how a cancellation arrives: the defaults (30 s and more) would make Ctrl-C wait.
    maxHeartbeatThrottleInterval: 500,
    defaultHeartbeatThrottleInterval: 500,
    // How long running tasks may finish is the caller's word (`stop`), said when it is time.
    shutdownGraceTime: '1 day',
  });
}

function toolActivity(tool: Tool, services: ToolServices): ReturnType<typeof onTheWire> {
  return onTheWire(
    asActivity(tool, services, () => Context.current()),
    identity,
  );
}

function currentLocal(): LocalActivityPort {
  const context = Context.current();
  return {
    cancellationSignal: context.cancellationSignal,
    cancelled: context.cancelled,
    heartbeat: (details) => context.heartbeat(details),
    lastHeartbeat: context.info.heartbeatDetails,
  };
}

function identity(): ActivityIdentity {
  const { activityId, activityType, workflowExecution } = Context.current().info;
  return { activityId, activityType, workflowId: workflowExecution?.workflowId ?? '' };
}

/** Tasks at once in a worker of the kind. */
function concurrencyOf(kind: string, tool: Tool | undefined, given: WorkersOptions['concurrency']): number {
  if (typeof given === 'number') return given;
  const usual = kind === LOCAL_KIND ? LOCAL_CONCURRENCY : OTHER_CONCURRENCY;
  return given?.[kind] ?? tool?.concurrency ?? declarationOf(kind)?.concurrency ?? usual;
}

/** Sets of workers in this process: they share the tools, and the last one to stop closes them. */
let sets = 0;

function run(
  workers: readonly Worker[],
  extensions: readonly Tool[],
  stopping: AbortController,
  log: WorkerLog,
): RunningWorkers {
  sets++;
  const shutdownAll = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const running = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      // One worker that cannot go on would leave a process that looks alive and serves half of its queues.
      log.error(
        { task_queue: worker.options.taskQueue, error: String(error) },
        'a worker failed; stopping the others',
      );
      shutdownAll();
      throw error;
    }),
  );
  const done = Promise.allSettled(running).then(async (ends) => {
    sets--;
    if (sets === 0) await closeTools(extensions);
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
  });
  // Whoever wants to know awaits `done`; nobody has to.
  done.catch(() => undefined);
  return {
    done,
    taskQueues: workers.map((worker) => worker.options.taskQueue),
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
