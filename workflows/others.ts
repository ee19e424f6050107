/**
 * The other workflows that a run starts and signals (sub-playbooks, chunks and long tasks): ordered per workflow, and
 * counted.
 */
import {
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  type SignalDefinition,
  type Workflow,
} from '@temporalio/workflow';
import { type Input } from '../src/engine/machine';
import { cancelSignal } from '../src/temporal/contract/definitions';

type Started = Promise<ChildWorkflowHandle<Workflow>>;

export class OtherWorkflows {
  /**
   * By workflow id: settles when the server has answered the last request, its start included. Requests that wait for
   * answers together are delivered in any order: a pause after the resume that follows it would last for ever.
   */
  private readonly answered = new Map<string, Promise<unknown>>();
  private underWay = 0;
  /** Started by this run and not closed yet, by the engine's key. */
  private readonly open = new Set<string>();
  /** Those whose end has been passed to the engine. */
  private readonly ended = new Set<string>();

  /** The server has answered every request: the moment to end the run or continue as new. */
  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** Temporal has also recorded every end: if a run closes before, its timeline shows them as running for ever. */
  get haveClosed(): boolean {
    return this.ended.size === 0;
  }

  /**
   * Registers a workflow that is being started; signals to it wait for that.
   *
   * @param key the engine's key for it
   * @param lost called when something outside ends it or prevents its start; its own end comes by signal
   */
  starting(key: string, workflowId: string, started: Started, lost: (failure: unknown) => void): void {
    this.answered.set(workflowId, this.tracked(started.catch(() => undefined)));
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

  /** Notes the ends among the engine's inputs. */
  note(inputs: readonly Input[]): void {
    for (const input of inputs) {
      const key = endedBy(input);
      if (key !== undefined && this.open.has(key)) this.ended.add(key);
    }
  }

  /** Rejects when the workflow no longer exists. */
  async signal<Args extends unknown[]>(
    workflowId: string,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    await this.tracked(this.send(workflowId, signal, ...args));
  }

  /**
   * Cancels an execution: first a signal with the reason, then Temporal's own request, without which Temporal would
   * record the end as a failure. Rejects when the workflow no longer exists.
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

  private send<Args extends unknown[]>(
    workflowId: string,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    const sent = (this.answered.get(workflowId) ?? Promise.resolve()).then(() =>
      getExternalWorkflowHandle(workflowId).signal(signal, ...args),
    );
    this.answered.set(
      workflowId,
      sent.catch(() => undefined),
    );
    return sent;
  }

  private async tracked<T>(request: Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await request;
    } finally {
      this.underWay--;
    }
  }
}

/** The engine's key of the workflow or task whose end this is. */
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
