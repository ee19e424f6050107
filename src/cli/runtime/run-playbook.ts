/** `run`: starts server and workers, runs one execution, prints its result, and stops everything it started. */
import path from 'node:path';
import { type Client } from '@temporalio/client';
import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import { compact, type JsonObject, type RunLabels, type Plan } from '../../language/plan';
import { sealPayload } from '../../storage/sealed';
import { EnvironmentError, Closing } from '../../language/errors';
import {
  type StartedExecution,
  newExecutionId,
  playbookOf,
  startExecution,
  uiUrl,
} from '../../temporal/client';
import {
  type CredentialResolver,
  defaultCredentials,
  type PlaybookResolver,
  type RunningWorkers,
  startWorkers,
} from '../../temporal/worker';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { checkWorkload } from '../input/check-workload';
import { readPayload } from '../input/payload';
import { loadPlaybook, tellDiagnostics } from '../input/playbook';
import { PlaybookFolder } from '../input/playbook-folder';
import { duration, paint, printable, wantsColor } from '../output/paint';
import { presentResult } from '../output/present';
import { type Display, progressDisplay } from '../output/progress-display';
import { plainError } from '../../history/document-error';
import { type ResultDocument } from '../output/result-document';
import { warn } from '../output/say';
import { documentOf, saveHistory, watchExecution } from './execution';
import { hopelessExecutions } from './hopeless';
import { provideLocalPostgres } from './local-postgres';
import { type Family, familyOf, kindsOf, poolsOf } from './plan-needs';
import { dataFolder } from './data-folder';
import { devConsole } from './dev-lock';
import { openSession, quietLog, type CliSession } from './session';
import { servedKinds } from './served-kinds';
import { onInterrupt } from './signals';
import { forWorkers } from './storage';
import { storedCredentials } from './stored-credentials';
import { playbookQueuesOf } from './playbook-queues';
import { tailOf } from './tail';
import { tellUnfinished } from './unfinished';
import { watchUnserved } from './unserved';

export interface RunOptions {
  readonly payload?: string;
  readonly set?: readonly string[];
  readonly label?: RunLabels;
  readonly json?: boolean;
  readonly history?: string;
  readonly data?: string;
  /** Milliseconds after which the execution is cancelled. */
  readonly timeoutMs?: number;
}

/** The execution has ended when the workers stop; only tasks of another command may still run. */
const DRAIN_MS = 5_000;

/** An execution to be started. */
export interface RunWork {
  readonly plan: Plan;
  /** Its initial values. */
  readonly payload: JsonObject;
  /** The playbook, as named by the user, and its text if available. */
  readonly file: string;
  readonly text?: string;
  /** It begins with steps that another execution ran. */
  readonly isRerun?: true;
  /** @param resolver the task queue on which this command resolves sub-playbooks */
  start(client: Client, resolver: string | undefined): Promise<StartedExecution>;
}

/** @returns the exit code */
export async function runPlaybook(name: string, options: RunOptions): Promise<number> {
  const compiled = loadPlaybook(name);
  const { plan, text, file, code = [] } = compiled;
  // Concurrent with the start of the servers, which takes longer.
  const syntax = pythonSyntax(code);
  const payload = readPayload(options.payload, options.set);
  checkWorkload(file, plan, payload, warn);
  return await carryOutRun(async ({ sealed }) => {
    tellDiagnostics(await syntax, compiled);
    const start: RunWork['start'] = async (client, resolver) => {
      const id = newExecutionId();
      return startExecution(
        client,
        { plan, ...(await sealPayload(plan, payload, sealed, id)), resolver },
        id,
        compact({ labels: options.label }),
      );
    };
    return { plan, payload, file, text, start };
  }, options);
}

/**
 * Starts servers and workers, and one execution, and waits for its end.
 *
 * @returns the exit code
 */
export async function carryOutRun(
  prepare: (session: CliSession) => RunWork | Promise<RunWork>,
  options: RunOptions,
): Promise<number> {
  const color = wantsColor(process.stderr);
  const write = (text: string): void => void process.stderr.write(text);
  const closing = new Closing();
  const interrupt = new Interrupt();
  closing.add(() => interrupt.end());
  return await closing.after(async () => {
    const session = await openSession('run', dataFolder(options.data), {
      report: (line) => write(`${line}\n`),
    });
    closing.add(() => session.close());
    const work = await prepare(session);
    const { plan, payload, file } = work;
    const playbooks = PlaybookFolder.around(file);
    const family = await familyOf(plan, playbooks);
    const stored = storedCredentials(dataFolder(options.data), playbookOf(session.client));
    closing.add(() => stored.close());
    const credentials = defaultCredentials(process.env, [stored.provider]);
    const needs = { plans: family.plans, payload };
    const postgres = await provideLocalPostgres(needs, dataFolder(options.data), credentials);
    if (postgres) closing.add(() => postgres.stop());
    const queues = await playbookQueuesOf(family, session);
    const sources = { playbooks, playbookQueues: queues.served };
    const kinds = family.isOpen ? servedKinds() : onlyKnown(family.plans.flatMap(kindsOf));
    await tellUnfinished(session, kinds, write);
    await hopelessExecutions(session.client, (line) => write(`${line}\n`)).atStart();
    const workers = await startWorkersFor(family, { ...sources, kinds }, session, credentials);
    closing.add(() => Promise.all(workers.map((one) => one.stop({ graceMs: DRAIN_MS }))));
    if (interrupt.requested) return EXIT.interrupted;
    return await execute({ ...work, resolver: queues.own, options, session, workers, interrupt, color });
  });
}

/** Kinds without a worker need none: the workflow itself fails such a task, naming the kind. */
async function startWorkersFor(
  { plans }: Family,
  sources: { playbooks: PlaybookResolver; playbookQueues: readonly string[]; kinds: readonly string[] },
  session: CliSession,
  credentials: CredentialResolver,
): Promise<RunningWorkers[]> {
  const pools = new Map<string, string[]>();
  for (const [pool, served] of plans.flatMap((plan) => [...poolsOf(plan)])) {
    pools.set(pool, onlyKnown([...(pools.get(pool) ?? []), ...served]));
  }
  const { namespace } = session.target;
  const common = {
    connection: session.native,
    namespace,
    log: quietLog(),
    credentials,
    ...forWorkers(session.storage, namespace),
    sealed: session.sealed,
    extensions: extensions().tools,
    tracing: session.tracing?.worker,
  };
  return Promise.all([
    startWorkers({ ...common, ...sources, workflows: true }),
    ...[...pools].map(([pool, served]) => startWorkers({ ...common, pool, kinds: served, workflows: false })),
  ]);
}

function onlyKnown(kinds: readonly string[]): string[] {
  const all = servedKinds();
  return [...new Set(kinds)].filter((kind) => all.includes(kind));
}

interface Job extends RunWork {
  readonly resolver: string | undefined;
  readonly options: RunOptions;
  readonly session: CliSession;
  readonly workers: readonly RunningWorkers[];
  readonly interrupt: Interrupt;
  readonly color: boolean;
}

async function execute(job: Job): Promise<number> {
  const { plan, options, session, color } = job;
  const started = Date.now();
  const execution = await job.start(session.client, job.resolver);
  const url =
    session.ui && uiUrl(session.ui, session.target.namespace, execution.handle.workflowId, execution.runId);
  const { bold, dim } = paint(color);
  process.stderr.write(`${bold(printable(plan.metadata.name))} ${dim(`execution ${execution.id}`)}\n`);
  const page = devConsole(dataFolder(options.data));
  if (page) process.stderr.write(`${dim(`${page}/runs/${execution.id}`)}\n`);
  if (url) process.stderr.write(`${dim(url)}\n`);
  const display = progressDisplay(process.stderr, started, { id: execution.id, isRerun: job.isRerun });
  job.interrupt.cancels(execution, display);
  const stopClock = startTimeout(options.timeoutMs, execution, display);
  const unwatch = watchUnserved(session.client, execution.handle.workflowId, (line) => display.note(line));
  const lost = Promise.race([
    session.ended.then(() => Promise.reject(serverEnded(execution, session))),
    ...job.workers.map((one) => one.done.then(() => new Promise<never>(() => undefined))),
  ]);
  lost.catch(() => undefined);
  const stored = session.storage.logs(session.target.namespace);
  const tail = stored && tailOf(stored, execution.id, display);
  let document: ResultDocument;
  try {
    const watched = watchExecution(
      execution,
      session.client,
      (progress) => display.show(progress),
      path.normalize(job.file),
      ({ message, hint }) => display.note(`${printable(message)}. ${hint}`),
    );
    watched.catch(() => undefined);
    document = await documentOf(execution, await Promise.race([watched, lost]));
    await Promise.all(job.workers.map((one) => one.flush()));
    await tail?.toEnd();
  } finally {
    tail?.stop();
    unwatch();
    stopClock();
    display.end();
  }
  if (stopClock() && document.status === 'cancelled') {
    const message = `not done after ${duration(options.timeoutMs ?? 0)} (--timeout)`;
    document = { ...document, error: plainError('RUN_TIMEOUT', message) };
  }
  if (options.history) await saveTo(execution, options.history);
  const { file, text } = job;
  await presentResult(document, { file, text, json: options.json, color, elapsed: Date.now() - started });
  return document.status === 'completed' ? EXIT.success : EXIT.failed;
}

function serverEnded({ id, handle }: StartedExecution, { logFile }: CliSession): EnvironmentError {
  const message = `The Temporal server ended while execution ${id} was running.`;
  const goesOn = 'The next `run` or `dev` with the same data folder continues it.';
  const hint = [goesOn, `The log of the server: ${logFile}`];
  return new EnvironmentError('TEMPORAL_ENDED', message, hint, {
    details: { execution_id: id, workflow_id: handle.workflowId },
  });
}

async function saveTo(execution: StartedExecution, file: string): Promise<void> {
  await saveHistory(execution.handle, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code && error.syscall) throw new UsageError(`--history ${file}: ${error.message}`);
    throw error;
  });
}

/** @returns a function that stops the timer and returns whether it had expired */
function startTimeout(
  limitMs: number | undefined,
  execution: StartedExecution,
  display: Display,
): () => boolean {
  let over = false;
  if (limitMs === undefined) return () => false;
  const timer = setTimeout(() => {
    over = true;
    display.note(`--timeout: cancelling after ${duration(limitMs)}`);
    void execution.handle.cancel().catch(() => undefined);
  }, limitMs);
  return () => {
    clearTimeout(timer);
    return over;
  };
}

/** Ctrl-C: the first cancels the execution and waits for its tools to stop, the second exits at once. */
class Interrupt {
  requested = false;
  private cancel: () => void = () => undefined;
  readonly end = onInterrupt((count) => {
    if (count > 1) process.exit(EXIT.interrupted);
    this.requested = true;
    this.cancel();
  });

  cancels(execution: StartedExecution, display: Display): void {
    this.cancel = () => {
      display.note('Cancelling; stopping running tools (Ctrl-C again exits immediately)');
      void execution.handle.cancel().catch(() => undefined);
    };
    if (this.requested) this.cancel();
  }
}
