/** A semaphore: at most N at a time; others queue, and leave the queue when they are stopped. */
export class TaskSlots {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** Resolves with the function that releases the slot. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.taken >= this.limit) await this.wait(signal);
    else this.taken++;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.line.shift();
      if (next) next();
      else this.taken--;
    };
  }

  /** Runs `work` in a slot. An abort ends the wait: work that is stopped takes no slot. */
  async through<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.take(signal).catch(() => undefined);
    try {
      return await work();
    } finally {
      release?.();
    }
  }

  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.line.splice(this.line.indexOf(turn), 1);
        reject(signal.reason as Error);
      };
      this.line.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
