/** The running visits, limited in number; idle ones give way to executions with new events. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A visit without new events for this long may be replaced. */
const IDLE_MS = 250;

export class ExecutionVisit {
  readonly leave = new AbortController();
  /** When it started to wait for new events; undefined while it is busy. */
  idleSince: number | undefined;
  done: Promise<void> = Promise.resolve();

  constructor(readonly workflowId: string) {}
}

export class Visits {
  private readonly going = new Map<string, ExecutionVisit>();

  constructor(private readonly limit: number) {}

  get(workflowId: string): ExecutionVisit | undefined {
    return this.going.get(workflowId);
  }

  /** Runs `work` when there is a free slot; resolves when it has started. */
  async begin(
    workflowId: string,
    signal: AbortSignal,
    work: (visit: ExecutionVisit) => Promise<void>,
  ): Promise<void> {
    await this.room(signal);
    if (signal.aborted || this.going.has(workflowId)) return;
    const visit = new ExecutionVisit(workflowId);
    this.going.set(workflowId, visit);
    visit.done = work(visit).finally(() => this.going.delete(workflowId));
  }

  leaveAll(): void {
    for (const visit of this.going.values()) visit.leave.abort();
  }

  async allDone(): Promise<void> {
    await Promise.allSettled([...this.going.values()].map((visit) => visit.done));
  }

  private async room(signal: AbortSignal): Promise<void> {
    while (this.going.size >= this.limit && !signal.aborted) {
      const wait = new AbortController();
      this.idlest()?.leave.abort();
      await Promise.race([
        ...[...this.going.values()].map((visit) => visit.done.catch(() => undefined)),
        sleep(IDLE_MS, undefined, { signal: wait.signal }).catch(() => undefined),
      ]);
      wait.abort();
    }
  }

  private idlest(): ExecutionVisit | undefined {
    const before = performance.now() - IDLE_MS;
    let candidate: ExecutionVisit | undefined;
    for (const visit of this.going.values()) {
      if (visit.idleSince === undefined || visit.idleSince > before || visit.leave.signal.aborted) continue;
      if (!candidate || visit.idleSince < candidate.idleSince!) candidate = visit;
    }
    return candidate;
  }
}
