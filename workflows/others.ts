/** What a run asks of other workflows, sub-playbooks and chunks: in order for each of them, and counted. */
import { getExternalWorkflowHandle, type SignalDefinition } from '@temporalio/workflow';

export class OtherWorkflows {
  /** By workflow id: settles when the server has started it, or refused to. */
  private readonly starts = new Map<string, Promise<unknown>>();
  private underWay = 0;

  /** Nothing was asked of the server that it has not answered: the moment to end the run or to continue as new. */
  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** Remembers that a workflow is being started; signals to it wait for that. */
  starting(workflowId: string, started: Promise<unknown>): void {
    this.starts.set(workflowId, this.tracked(started.catch(() => undefined)));
  }

  /** Rejects when there is no such workflow any more. */
  async signal<Args extends unknown[]>(
    workflowId: string,
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> {
    const send = async (): Promise<void> => {
      await this.starts.get(workflowId);
      await getExternalWorkflowHandle(workflowId).signal(signal, ...args);
    };
    await this.tracked(send());
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
