/** One execution, read from its history and delivered to a sink from its cursor on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { hasCode } from '../../language/errors';
import { compact } from '../../language/plan';
import { answersFor } from '../reading/host';
import { sealed } from '../reading/sealing';
import { historyPages } from '../../temporal/client';
import { type Cursors } from './cursors';
import { type Delivered } from './deriving/deliver';
import { type DeliveryThreads } from './deriving/threads';
import { type Followed, type ReadPlace } from './followed';
import { type EventBatch, type Sink } from './sink';

export interface VisitOptions {
  readonly client: Client;
  readonly sink: Sink;
  readonly cursors: Cursors;
  readonly threads: DeliveryThreads;
  /** Continues with a running execution until it ends. */
  readonly follow: boolean;
  /** Stops the visit between batches; a batch in progress is completed. */
  readonly signal: AbortSignal;
  /** Events between two keyframes, at least; by default as many as are read quickly. */
  readonly keyframeEvery?: number;
  /** Whether it has read what had happened when it began. */
  readonly isAtEnd?: () => boolean;
  /** Called for each page of history. */
  readonly received: () => void;
  /** Called after each page: the number of new events, and the length of the run's history so far. */
  readonly taken: (events: number, length: number) => void;
}

/**
 * Reads from the start (an event is derived from everything before it), and delivers what follows the cursor. Events are
 * derived in threads.
 *
 * @param runId of a closed run; undefined for the workflow's latest
 * @returns whether the execution has ended and was taken completely
 * @throws errors of reading, deriving or the sink; CodedError `SUPERSEDED` if the run was reset meanwhile,
 *   `DERIVATION_TOO_LARGE` if it exceeds the limits
 */
export async function visitExecution(
  execution: Followed,
  runId: string | undefined,
  options: VisitOptions,
): Promise<boolean> {
  try {
    return await delivered(execution, runId, { ...options, alone: false });
  } catch (error) {
    if (!hasCode(error, 'THREAD_LOST')) throw error;
    // It or another on its thread took too much: alone it shows which.
    return await delivered(execution, runId, { ...options, alone: true });
  }
}

async function delivered(
  execution: Followed,
  runId: string | undefined,
  options: VisitOptions & { readonly alone: boolean },
): Promise<boolean> {
  const { client, sink, cursors, threads, follow, signal, alone } = options;
  const { workflowId, executionId } = execution;
  // One that is followed goes on in later runs; a reset supersedes it.
  const from = runId ?? (follow ? execution.runId : undefined);
  const open = () => historyPages(client, workflowId, { follow, signal, runId: from });
  const host = answersFor(client, open, { history_events: 0, events: 0 });
  const goesOn = runId === undefined;
  let plan: EventBatch['plan'] | undefined;
  let taking: Promise<void> = Promise.resolve();
  const position = await cursors.read(executionId);
  const keyframes = await sink.keyframesEnd?.(executionId);
  let next = -Infinity;
  const quiet = new Quiet((place) => cursors.reached(execution, place));
  const answers = {
    ...host,
    page: async (): Promise<unknown> => {
      if (options.isAtEnd?.()) await sleep(Math.max(0, next - performance.now()), undefined, { signal });
      const page = await host['page']!(undefined as never);
      next = performance.now() + PACE_MS;
      options.received();
      return page;
    },
    take: async (part: Delivered): Promise<void> => {
      plan ??= part.plan;
      const keyframes = await sealed(client, part.keyframes ?? []);
      const [rest] = await sealed(client, part.rest ? [part.rest] : []);
      const batch = { ...part, keyframes, execution, plan: plan!, ...compact({ rest }) };
      taking = sink.take(batch, cursors);
      await taking;
    },
    taken: ({ count, length, reached }: { count: number; length: number; reached?: ReadPlace }) => {
      options.taken(count, length);
      quiet.tell(goesOn && count === 0 && keyframes !== undefined ? reached : undefined);
    },
  };
  const delivery = {
    ...{ id: executionId, workflowId, position },
    calls: sink.readsCalls ?? false,
    goesOn,
    ...compact({ keyframes, every: options.keyframeEvery }),
  };
  try {
    return await threads.run('deliver', delivery, sink.name, { answers, signal, alone });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    await taking.catch(() => undefined);
    await quiet.end();
  }
}

/** Between two requests for what has happened in a running execution: what happens meanwhile is read at once. */
const PACE_MS = 200;
const QUIET_MS = 100;

/**
 * Pages of history without events of ours: how far they go is written when nothing follows for a while, or three times for
 * each task.
 */
class Quiet {
  private timer: NodeJS.Timeout | undefined;
  private place: ReadPlace | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly write: (place: ReadPlace) => Promise<void>) {}

  tell(place: ReadPlace | undefined): void {
    clearTimeout(this.timer);
    this.place = place;
    if (place) this.timer = setTimeout(() => void this.end(), QUIET_MS).unref();
  }

  end(): Promise<void> {
    clearTimeout(this.timer);
    const { place } = this;
    this.place = undefined;
    // Who waits for it derives instead.
    if (place) this.writing = this.write(place).catch(() => undefined);
    return this.writing;
  }
}
