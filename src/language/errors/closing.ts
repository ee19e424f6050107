/** What has been opened, to be closed in reverse order. */
export class Closing {
  private readonly closers: (() => unknown)[] = [];

  /** @param report receives what fails while closing; without it, the first error is thrown */
  constructor(private readonly report?: (error: unknown) => void) {}

  add(close: () => unknown): void {
    this.closers.push(close);
  }

  /** All are tried, each once. @throws the first error */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    const report = this.report ?? ((error) => errors.push(error));
    for (let close = this.closers.pop(); close; close = this.closers.pop())
      await Promise.resolve().then(close).catch(report);
    if (errors.length > 0) throw errors[0];
  }

  /** Closes when `work` is done. @throws the error of `work`, else as `close` */
  async after<T>(work: () => Promise<T>): Promise<T> {
    const value = await work().catch(async (error: unknown) => {
      await this.close().catch(() => undefined);
      throw error;
    });
    await this.close();
    return value;
  }
}
