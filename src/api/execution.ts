import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { hasCode } from '../language/errors';
import { type CanonicalEvent, followEvents, recordedExecution, type RecordedExecution } from '../history';
import {
  deleteVariables,
  type SentEventAnswer,
  executionPages,
  isTransient,
  executionNotFound,
  sendEvent,
  setVariables,
  steer,
  workflowIdOf,
} from '../temporal/client';
import { type JsonObject } from '../language/plan';
import { completed, type ExecutionEnding, failedOrCancelled } from './ending';

export interface EventsOptions {
  /** Continues with new events until the execution has ended. */
  readonly follow?: boolean;
  /** Includes large bodies in the events; by default they are replaced by references. */
  readonly bodies?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Consecutive attempts to resume reading a history, and the delays before the first and the last, in milliseconds.
 */
const TRIES = 20;
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * An execution on a Temporal server. All methods query the server, and throw CodedError `EXECUTION_NOT_FOUND` if
 * there is no such execution; methods that control it throw `EXECUTION_OVER` if it has ended.
 */
export class PlaybookExecution {
  /** @param file location for errors, for callers that know the playbook's file */
  constructor(
    private readonly client: Client,
    /** Its execution id, or the workflow id given by the caller. */
    readonly id: string,
    private readonly file: string | null = null,
  ) {}

  /** Waits for the end, across continue-as-new. A failure is returned as an `Ending`, not thrown. */
  async result(): Promise<ExecutionEnding> {
    const handle = this.client.workflow.getHandle(await workflowIdOf(this.client, this.id));
    return await handle.result().then(completed, (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) throw executionNotFound(this.id, error);
      return failedOrCancelled(error, this.file);
    });
  }

  /**
   * Canonical events, first to last, each once, even across lost connections and resets.
   *
   * @throws CodedError `HISTORY` for a workflow that is not an execution of a playbook
   */
  async *events({ follow, bodies, signal }: EventsOptions = {}): AsyncGenerator<CanonicalEvent, void> {
    const chunks = followEvents({
      converter: this.client.options.loadedDataConverter,
      bodies,
      open: () => executionPages(this.client, this.id, { follow, signal }),
      again: async (error, failures) => {
        if (hasCode(error, 'SUPERSEDED')) return true;
        if (signal?.aborted || !isTransient(error) || failures > TRIES) return false;
        await sleep(Math.min(PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS));
        return true;
      },
    });
    for await (const events of chunks) yield* events;
  }

  /** The plan, all events so far, and the resulting state. */
  async recorded(): Promise<RecordedExecution> {
    const converter = this.client.options.loadedDataConverter;
    return await recordedExecution(executionPages(this.client, this.id), { converter });
  }

  /** Starts no new tasks until `resume`; running tasks finish. */
  async pause(reason?: string): Promise<void> {
    await steer(this.client, await this.workflowId(), 'pause', reason);
  }

  async resume(): Promise<void> {
    await steer(this.client, await this.workflowId(), 'resume');
  }

  /** Stops running tasks and sub-playbooks; the execution ends as cancelled. */
  async cancel(reason?: string): Promise<void> {
    await steer(this.client, await this.workflowId(), 'cancel', reason);
  }

  /**
   * Sends an external event to a `wait`.
   *
   * @param id an event whose id was sent before is ignored
   * @returns undefined if no worker responded in time: the server then keeps the event
   */
  async send(name: string, payload: JsonObject, id: string): Promise<SentEventAnswer | undefined> {
    return await sendEvent(this.client, await this.workflowId(), { name, payload, id });
  }

  /** @throws CodedError `REFUSED`, `WORKER_SILENT` without a workflow worker */
  async setVariables(variables: JsonObject): Promise<void> {
    await setVariables(this.client, await this.workflowId(), variables);
  }

  /** As `setVariables`. */
  async deleteVariables(names: readonly string[]): Promise<void> {
    await deleteVariables(this.client, await this.workflowId(), names);
  }

  private async workflowId(): Promise<string> {
    return await workflowIdOf(this.client, this.id);
  }
}
