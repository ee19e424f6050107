/** So many in a second: a bucket that holds one second's worth. */
export class MessagePace {
  private left: number;
  private at: number;

  /** @param perSecond undefined: without a limit */
  constructor(
    private readonly perSecond: number | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = perSecond ?? 0;
    this.at = now();
  }

  allowed(): number {
    if (this.perSecond === undefined) return Number.MAX_SAFE_INTEGER;
    const now = this.now();
    this.left = Math.min(this.perSecond, this.left + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    return Math.floor(this.left);
  }

  spend(count: number): void {
    if (this.perSecond !== undefined) this.left -= count;
  }
}
