/** How far a command is that takes long, on stderr: a line every two seconds, nothing of what is quick. */
const EVERY_MS = 2000;

export class SaidProgress {
  private count = 0;
  private last = performance.now();

  /** @param what is counted: `events` */
  constructor(private readonly what: string) {}

  add(count: number): void {
    this.to(this.count + count);
  }

  /** @param count so far */
  to(count: number): void {
    this.count = count;
    const now = performance.now();
    if (now - this.last < EVERY_MS) return;
    this.last = now;
    process.stderr.write(`${count.toLocaleString('en')} ${this.what} so far …\n`);
  }
}
