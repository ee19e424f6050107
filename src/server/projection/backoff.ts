/** Retry delays: 1 s, 2 s, 4 s … 5 minutes. */
const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

export class VisitBackoff {
  private readonly failures = new Map<string, { count: number; until: number }>();

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  fail(key: string): void {
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    const pause = Math.min(LONGEST_MS, FIRST_MS * 2 ** (count - 1));
    this.failures.set(key, { count, until: this.now() + pause });
  }

  forget(key: string): void {
    this.failures.delete(key);
  }

  isWaiting(key: string): boolean {
    const failure = this.failures.get(key);
    return failure !== undefined && failure.until > this.now();
  }
}
