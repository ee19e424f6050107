/** Lets a number of tasks through at once, in the order in which they came. */
export class Gate {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs `work` when it is its turn. An abort ends the wait: work that is stopped takes no place. */
  async through<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  private async enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => undefined;
    if (this.free > 0) this.free--;
    else if (!(await this.turn(signal))) return () => undefined;
    return () => {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    };
  }

  /** @returns false if the signal came first */
  private turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1);
        resolve(false);
      };
      const start = (): void => {
        signal.removeEventListener('abort', abort);
        resolve(true);
      };
      this.waiting.push(start);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
