/**
 * The other workflows that a run starts and talks to, sub-playbooks, chunks and long tasks: in order for each of them,
 * and counted.
 */
import {
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  type SignalDefinition,
  type Workflow,
} from '@temporalio/workflow';
import { type Input } from '../src/engine';
import { cancelSignal } from './contract';

type Started = Promise<ChildWorkflowHandle<Workflow>>;

export class OtherWorkflows {
  /** By workflow id: settles when the server has started it, or refused to. */
  private readonly starts = new Map<string, Promise<unknown>>();
  private underWay = 0;
  /** Started by this run and not closed yet, by what the engine calls them. */
  private readonly open = new Set<string>();
  /** Those of them whose end the engine has heard. */
  private readonly ended = new Set<string>();

  /** Nothing was asked of the server that it has not answered: the moment to end the run or to continue as new. */
  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** Temporal, too, has heard of every end: a run that closes before leaves them running in its timeline for ever. */
  get haveClosed(): boolean {
    return this.ended.size === 0;
  }

  /**
   * Remembers that a workflow is being started; signals to it wait for that.
   *
   * @param key what the engine calls it
   * @param lost its end comes by signal; here comes what ends it from outside, or keeps it from starting
   */
  starting(key: string, workflowId: string, started: Started, lost: (failure: unknown) => void): void {
    this.starts.set(workflowId, this.tracked(started.catch(() => undefined)));
    this.open.add(key);
    const closed = (): void => {
      this.open.delete(key);
      this.ended.delete(key);
    };
    void started
      .then((handle) => handle.result())
      .catch(lost)
      .finally(closed);
  }

  /** Takes note of the ends among what the engine is told. */
  note(inputs: readonly Input[]): void {
    for (const input of inputs) {
      const key = endedBy(input);
      if (key !== undefined && this.open.has(key)) this.ended.add(key);
    }
  }

  /** Rejects when there is no such workflow any more. */
  async signal<Args extends unknown[]>(
    workflowId: string,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    await this.tracked(this.send(workflowId, signal, ...args));
  }

  /**
   * Cancels an execution: the reason by signal, and when it has that, Temporal's own request, without which Temporal
   * takes the end for a failure. Rejects when there is no such workflow any more.
   */
  async cancel(workflowId: string, reason: string | undefined): Promise<void> {
    const ask = async (): Promise<void> => {
      await this.send(workflowId, cancelSignal, { reason });
      await getExternalWorkflowHandle(workflowId)
        .cancel()
        .catch(() => undefined);
    };
    await this.tracked(ask());
  }

  private async send<Args extends unknown[]>(
    workflowId: string,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    await this.starts.get(workflowId);
    await getExternalWorkflowHandle(workflowId).signal(signal, ...args);
  }

  private async tracked<T>(asked: Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await asked;
    } finally {
      this.underWay--;
    }
  }
}

/** What the engine calls the workflow, or task, whose end this is. */
function endedBy(input: Input): string | undefined {
  switch (input.type) {
    case 'childSettled':
      return input.child;
    case 'chunkSettled':
      return input.ref;
    case 'taskSettled':
      return input.taskRunId;
    default:
      return undefined;
  }
}
