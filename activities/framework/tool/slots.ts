/** At most so many at a time; the others wait in line, and leave it when they have to stop. */
export class Slots {
  private taken = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** Resolves with the function that gives the slot back. Rejects with the signal's reason. */
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
