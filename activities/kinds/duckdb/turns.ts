/** Schedules access to a file: shared or exclusive, in request order, so that nobody starves. */
interface Waiting {
  readonly alone: boolean;
  start(): void;
}

interface Queue {
  users: number;
  /** The current user has exclusive access. */
  alone: boolean;
  readonly waiting: Waiting[];
}

export class FileTurns {
  private readonly queues = new Map<string, Queue>();

  /**
   * Waits for a turn.
   *
   * @returns a function that releases the turn
   * @throws Error when `signal` is aborted first
   */
  async take(file: string, alone: boolean, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new Error(`stopped before waiting for ${file}`);
    const queue = this.queues.get(file) ?? { users: 0, alone: false, waiting: [] };
    this.queues.set(file, queue);
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        alone,
        start: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        queue.waiting.splice(queue.waiting.indexOf(one), 1);
        // Those queued behind it may now proceed.
        this.next(file, queue);
        reject(new Error(`stopped while waiting for ${file}`));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.waiting.push(one);
      this.next(file, queue);
    });
    let given = false;
    return () => {
      if (given) return;
      given = true;
      queue.users -= 1;
      this.next(file, queue);
    };
  }

  private next(file: string, queue: Queue): void {
    if (queue.users === 0) queue.alone = false;
    for (;;) {
      const [first] = queue.waiting;
      if (!first || queue.alone || (first.alone && queue.users > 0)) break;
      queue.waiting.shift();
      queue.users += 1;
      queue.alone = first.alone;
      first.start();
    }
    if (queue.users === 0 && queue.waiting.length === 0) this.queues.delete(file);
  }
}
