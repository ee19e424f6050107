import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { hasCode } from '../errors';
import { type CanonicalEvent, followEvents, recordedExecution, type RecordedExecution } from '../history';
import {
  deleteVariables,
  type EventAnswer,
  executionPages,
  isTransient,
  sendEvent,
  setVariables,
  steer,
  workflowIdOf,
} from '../temporal';
import { type JsonObject } from '../plan';
import { completed, type Ending, failedOrCancelled } from './ending';

export interface EventsOptions {
  /** Goes on with what happens next, until the execution has ended. */
  readonly follow?: boolean;
  /** Keeps large bodies in the events; by default a reference stands for them. */
  readonly bodies?: boolean;
  readonly signal?: AbortSignal;
}

/** Tries in a row to read a history again, and the milliseconds before the first and the last of them. */
const TRIES = 20;
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * One execution at a Temporal server. Everything here asks the server, and throws CodedError `EXECUTION_NOT_FOUND` where there is
 * no such execution; what tells it something throws `EXECUTION_OVER` when it has ended.
 */
export class PlaybookExecution {
  /** @param file where errors are said to be, for those who know the playbook's file */
  constructor(
    private readonly client: Client,
    /** Its execution id, or the workflow id that it was asked for with. */
    readonly id: string,
    private readonly file: string | null = null,
  ) {}

  /** Waits for the end, through continuations. A failure is an `Ending` too, not an exception. */
  async result(): Promise<Ending> {
    const handle = this.client.workflow.getHandle(await workflowIdOf(this.client, this.id));
    return await handle.result().then(completed, (error: unknown) => failedOrCancelled(error, this.file));
  }

  /**
   * Canonical events, first to last, each once: also through lost connections and resets.
   *
   * @throws CodedError `HISTORY` for a workflow that is no execution of a playbook
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

  /** The plan, all events so far, and the state they lead to. */
  async recorded(): Promise<RecordedExecution> {
    const converter = this.client.options.loadedDataConverter;
    return await recordedExecution(executionPages(this.client, this.id), { converter });
  }

  /** Takes no new task until `resume`; running tasks end. */
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
   * @param id an event whose id came before is ignored
   * @returns undefined when no worker answered in time: the event is kept by the server for one
   */
  async send(name: string, payload: JsonObject, id: string): Promise<EventAnswer | undefined> {
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
