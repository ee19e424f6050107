/** Limits how many things are done for one caller at a time; the others wait in order. */
export class Turns {
  private readonly busy = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @param atOnce per caller */
  constructor(private readonly atOnce: number) {}

  async take<T>(caller: string, act: () => Promise<T>): Promise<T> {
    const running = this.busy.get(caller) ?? 0;
    if (running < this.atOnce) this.busy.set(caller, running + 1);
    else
      await new Promise<void>((resolve) => {
        const queue = this.waiting.get(caller) ?? [];
        this.waiting.set(caller, queue);
        queue.push(resolve);
      });
    try {
      return await act();
    } finally {
      this.pass(caller);
    }
  }

  /** Gives the place to the next one, or frees it. */
  private pass(caller: string): void {
    const queue = this.waiting.get(caller);
    const next = queue?.shift();
    if (queue?.length === 0) this.waiting.delete(caller);
    if (next) return next();
    const left = this.busy.get(caller)! - 1;
    if (left > 0) this.busy.set(caller, left);
    else this.busy.delete(caller);
  }
}
