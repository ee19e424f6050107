/**
 * Signs of life of the workers of a queue: their polls and their heartbeats. A worker whose slots are all busy does not
 * poll, so on servers without heartbeats it looks like one that died.
 */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { compact } from '../../language/plan';

const { WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN } = temporal.api.enums.v1.WorkerStatus;
const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** Milliseconds. An idle worker polls every minute, and a busy one sends heartbeats more often. */
export const SILENT_MS = 65_000;
/** Looks of several observers share what the server says of workers. */
const FRESH_MS = 3_000;

export type QueueType = 'workflow' | 'activity';

/** All times in milliseconds since the epoch. */
export interface QueueSigns {
  readonly name: string;
  /** Tasks that wait, about. */
  readonly backlog: number;
  /** Seconds that the oldest of them has waited. */
  readonly backlogAge: number;
  /** The workers that poll it, by identity, with their last poll; those that have shut down are left out. */
  readonly pollers: ReadonlyMap<string, number>;
  /** The last sign of life of any of its workers; undefined: there never was one, as far as Temporal remembers. */
  readonly seenAt?: number;
  /** Whether any of its workers lives. */
  readonly isServed: boolean;
}

/** What the server says of workers at one time. */
export interface WorkerSigns {
  /** Whether the worker of a process for a queue has shut down; `polled` is its last poll. */
  hasEnded(identity: string, queue: string, polled: number): boolean;
  /** The last heartbeat of a worker of the queue that has not shut down. */
  heartbeatOf(queue: string): number | undefined;
  /** Queues that workers said they serve. */
  readonly queues: readonly string[];
}

const NO_SIGNS: WorkerSigns = { hasEnded: () => false, heartbeatOf: () => undefined, queues: [] };

const kept = new WeakMap<Client, { readonly at: number; readonly signs: Promise<WorkerSigns> }>();

/** Nothing from servers that do not know workers. */
export function workerSigns(client: Client): Promise<WorkerSigns> {
  const before = kept.get(client);
  if (before && performance.now() - before.at < FRESH_MS) return before.signs;
  const signs = readWorkers(client).catch(() => NO_SIGNS);
  kept.set(client, { at: performance.now(), signs });
  return signs;
}

async function readWorkers(client: Client): Promise<WorkerSigns> {
  const ended = new Map<string, number>();
  const alive = new Map<string, number>();
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.listWorkers({
      namespace: client.options.namespace,
      pageSize: 1000,
      ...compact({ nextPageToken }),
    });
    for (const { workerHeartbeat: heartbeat } of page.workersInfo ?? []) {
      if (!heartbeat?.status) continue;
      const queue = heartbeat.taskQueue ?? '';
      const [of, key] = LEAVING.includes(heartbeat.status)
        ? [ended, keyOf(heartbeat.workerIdentity ?? '', queue)]
        : [alive, queue];
      of.set(key, Math.max(of.get(key) ?? 0, millisOf(heartbeat.heartbeatTime)));
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
  return {
    // The process may have started another worker for the queue since; that one has polled later.
    hasEnded: (identity, queue, polled) =>
      polled <= (ended.get(keyOf(identity, queue)) ?? -Infinity) + LAST_POLL_MS,
    heartbeatOf: (queue) => alive.get(queue),
    queues: [...alive.keys()],
  };
}

/** A worker reports its shutdown first; the server sees its open poll closed slightly later. */
const LAST_POLL_MS = 2000;

const LEAVING: readonly number[] = [WORKER_STATUS_SHUTTING_DOWN, WORKER_STATUS_SHUTDOWN];

function keyOf(identity: string, queue: string): string {
  return `${identity}\n${queue}`;
}

/** @param now milliseconds since the epoch */
export async function signsOf(
  client: Client,
  queue: { readonly name: string; readonly type: QueueType },
  now: number = Date.now(),
): Promise<QueueSigns> {
  const { name, type } = queue;
  const [workers, { pollers, stats }] = await Promise.all([
    workerSigns(client),
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name },
      taskQueueType: type === 'workflow' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
      reportStats: true,
    }),
  ]);
  const polls = (pollers ?? [])
    .map(({ identity, lastAccessTime }) => [identity ?? '', millisOf(lastAccessTime)] as const)
    .filter(([identity, polled]) => !workers.hasEnded(identity, name, polled))
    .sort(([, a], [, b]) => a - b);
  const signs = [...polls.map(([, polled]) => polled), workers.heartbeatOf(name) ?? []].flat();
  const seenAt = signs.length === 0 ? undefined : Math.max(...signs);
  return {
    name,
    backlog: Number(stats?.approximateBacklogCount ?? 0),
    backlogAge: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    pollers: new Map(polls),
    ...compact({ seenAt }),
    isServed: seenAt !== undefined && now - seenAt <= SILENT_MS,
  };
}

interface Timestamp {
  readonly seconds?: { toString(): string } | null;
  readonly nanos?: number | null;
}

/** 0 for none. */
export function millisOf(time: Timestamp | null | undefined): number {
  return Number(time?.seconds?.toString() ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
