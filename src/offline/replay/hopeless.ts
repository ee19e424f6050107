/**
 * Ends executions that no worker can continue: those whose workflow task exceeds what a worker can do, whenever and
 * wherever it is tried. All others can recover (with another release, keys, storage) and are only reported.
 */
import { type Client } from '@temporalio/client';
import { hasCode, messageOf } from '../../language/errors';
import { unpackPayloads } from '../../history';
import {
  openWorkflows,
  pagesOfRun,
  reportedWorkflows,
  stuckAmong,
  stuckWorkflow,
  type StuckWorkflow,
  terminateFamily,
  UNANSWERED,
  type VisibleExecution,
} from '../../temporal/client';
import { tryAlone, type TrialVerdict } from './trial';

/** Prefix of the reason with which these executions are terminated. */
export const CANNOT_CONTINUE = 'CANNOT_CONTINUE';

/** Failures that Temporal answers a workflow task with, for numbers that a repetition does not change. */
const BEYOND_TEMPORAL: Readonly<Record<string, string>> = {
  PENDING_ACTIVITIES_LIMIT_EXCEEDED: 'it has more tasks in progress than Temporal accepts',
  PENDING_CHILD_WORKFLOWS_LIMIT_EXCEEDED: 'it has more sub-playbooks in progress than Temporal accepts',
};

export interface HopelessLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface HopelessOptions {
  readonly client: Client;
  readonly log: HopelessLog;
  /** For tests. */
  readonly judge?: (stuck: StuckWorkflow) => Promise<TrialVerdict>;
}

/** Workflows that are described at a start and in each round besides those that the server reports. */
const LOOKS_AT_START = 1000;
const LOOKS = 100;
const ROUND_MS = 60_000;
/** A recoverable one is tried again after this many further failures. */
const MORE_ATTEMPTS = 10;
/** The first attempt that repeats another one. */
const REPEATED = 2;

export class HopelessExecutions {
  /** By run: the finding and the attempt at which it was made. */
  private readonly judged = new Map<string, { readonly attempt: number; readonly verdict: TrialVerdict }>();
  private open: AsyncGenerator<VisibleExecution, void> | undefined;

  constructor(private readonly options: HopelessOptions) {}

  /**
   * One round.
   *
   * @param looks how many open workflows are described besides those that the server reports to have problems
   * @returns the workflow ids of those that were ended
   */
  async round(looks = LOOKS): Promise<string[]> {
    const stuck = await stuckAmong(this.options.client, await this.candidates(looks));
    const open = new Set(stuck.map(({ runId }) => runId));
    for (const runId of this.judged.keys()) if (!open.has(runId)) this.judged.delete(runId);
    const ended: string[] = [];
    for (const one of stuck) if (await this.decide(one)) ended.push(one.workflowId);
    return ended;
  }

  /** A round before a worker takes its first task, so that a task that ends processes does not end this one. */
  async atStart(): Promise<void> {
    await this.reported(async () => {
      await this.tellUnanswered();
      await this.round(LOOKS_AT_START);
    });
  }

  /** Which executions a worker that died was working on; each is given to the next one. */
  private async tellUnanswered(): Promise<void> {
    const { client, log } = this.options;
    const repeated = await stuckAmong(client, await this.candidates(LOOKS_AT_START), REPEATED);
    this.open = undefined;
    for (const { failure, workflowId, executionId, attempt } of repeated)
      if (failure?.cause === UNANSWERED)
        log.warn(
          { workflow_id: workflowId, execution_id: executionId, attempt },
          'a worker that had its workflow task died, or did not answer in time; it is taken up again',
        );
  }

  private async candidates(looks: number): Promise<VisibleExecution[]> {
    const candidates = new Map<string, VisibleExecution>();
    for await (const one of reportedWorkflows(this.options.client)) candidates.set(one.runId, one);
    for (const one of await this.next(looks)) candidates.set(one.runId, one);
    return [...candidates.values()];
  }

  /** A round a minute. @returns stops them; resolves when the last one is over */
  start(): () => Promise<void> {
    let running: Promise<unknown> = Promise.resolve();
    const timer = setInterval(() => {
      running = running.then(() => this.reported(() => this.round()));
    }, ROUND_MS);
    return async () => {
      clearInterval(timer);
      await running;
    };
  }

  /** What cannot be determined now is retried in the next round. */
  private async reported(round: () => Promise<unknown>): Promise<void> {
    await round().catch((error: unknown) =>
      this.options.log.warn(
        { error: messageOf(error) },
        'executions that cannot continue were not looked for',
      ),
    );
  }

  /** The next ones in a list of all; from the front again after its end. */
  private async next(count: number): Promise<VisibleExecution[]> {
    const some: VisibleExecution[] = [];
    this.open ??= openWorkflows(this.options.client);
    while (some.length < count) {
      const { done, value } = await this.open.next();
      if (done) {
        this.open = undefined;
        break;
      }
      some.push(value);
    }
    return some;
  }

  private async decide(stuck: StuckWorkflow): Promise<boolean> {
    const { client, log, judge = (one) => judged(client, one) } = this.options;
    const earlier = this.judged.get(stuck.runId);
    if (earlier && stuck.attempt < earlier.attempt + MORE_ATTEMPTS) return false;
    const verdict = await judge(stuck);
    this.judged.set(stuck.runId, { attempt: stuck.attempt, verdict });
    const about = { workflow_id: stuck.workflowId, execution_id: stuck.executionId, attempt: stuck.attempt };
    if (verdict.kind === 'succeeds') {
      log.info(about, 'its workflow task failed again and again, but succeeds alone: it is left as it is');
      return false;
    }
    if (verdict.kind === 'waits') {
      log.warn(
        { ...about, why: verdict.why },
        'its workflow task fails again and again: it waits for its cure',
      );
      return false;
    }
    // Another process may have ended it, or a signal may have changed what its next task does.
    if (!(await stuckWorkflow(client, stuck.workflowId, stuck.runId))) return false;
    const reason = reasonOf(stuck, verdict.why);
    const executions = await terminateFamily(client, stuck, { reason, cascade: false }).catch(onlyOver);
    log.warn({ ...about, executions, why: verdict.why }, 'ended: no worker can continue it');
    return executions !== undefined;
  }
}

/** The reason that a terminated workflow is given: its code and a sentence (`terminationOf`). */
function reasonOf({ attempt }: StuckWorkflow, why: string): string {
  const sentence = why.length > 300 ? `${why.slice(0, 300)} …` : why;
  return `${CANNOT_CONTINUE}: no worker can continue it, its workflow task failed ${attempt - 1} times: ${sentence}`;
}

function onlyOver(error: unknown): undefined {
  if (!hasCode(error, 'EXECUTION_OVER', 'EXECUTION_NOT_FOUND')) throw error;
}

async function judged(client: Client, { workflowId, runId, failure }: StuckWorkflow): Promise<TrialVerdict> {
  const beyond = BEYOND_TEMPORAL[failure?.cause ?? ''];
  if (beyond !== undefined) return { kind: 'hopeless', why: beyond };
  try {
    const events = [];
    for await (const page of pagesOfRun(client, workflowId, runId))
      events.push(...(await unpackPayloads(page, client.options.loadedDataConverter)));
    return await tryAlone(workflowId, events);
  } catch (error) {
    // Storage, codec or keys are away.
    return { kind: 'waits', why: messageOf(error) };
  }
}
