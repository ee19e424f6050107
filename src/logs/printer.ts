/** Output of one task: from the bytes of its streams to lines without secrets, up to the limit per task. */
import { LineCutter, pieces } from './cutter';
import { hidden, type Hiding, isSplit, type Text } from './hide';
import { type LogLine, type Stream } from './line';

export interface PrinterOptions {
  /** The task's fields in every line. */
  readonly of: Pick<LogLine, 'step' | 'task' | 'task_run_id' | 'attempt' | 'iteration'>;
  /** Limit of the task's stored output in bytes. */
  readonly limit: number;
  readonly hide: Hiding;
  /** Holds all lines until the end, because the secrets are only known then. */
  readonly untilEnd: boolean;
  /** Whether the worker can accept this many bytes. */
  readonly hasRoom: (bytes: number) => boolean;
}

export class Printer {
  /** Bytes waiting to be returned. */
  size = 0;
  private readonly cutters = { stdout: new LineCutter(), stderr: new LineCutter() };
  /** Lines present at the previous call, and those added since. */
  private older: Text[] = [];
  private newer: Text[] = [];
  private kept = 0;
  private isFull = false;
  private readonly dropped = { lines: 0, bytes: 0 };
  /** Why lines were dropped, if any. */
  private reason: string | undefined;

  constructor(private readonly options: PrinterOptions) {}

  write(stream: Stream, chunk: Buffer): void {
    const room = this.isFull ? 0 : this.options.limit - this.kept;
    const part = chunk.subarray(0, room);
    if (part.length > 0 && !this.options.hasRoom(part.length)) {
      // The following output does not continue this line.
      this.add(stream, this.cutters[stream].end());
      return this.drop(chunk, 'it came faster than this worker could store it');
    }
    this.kept += part.length;
    this.size += part.length;
    this.add(stream, this.cutters[stream].push(part));
    if (part.length === chunk.length) return;
    this.isFull = true;
    this.drop(chunk.subarray(part.length), `a task may print ${sizeOf(this.options.limit)}`);
  }

  /** The lines that can be released now. */
  take(): LogLine[] {
    const { hide, untilEnd } = this.options;
    if (untilEnd) return [];
    let ready: Text[];
    if (!hide.isNeeded || this.newer.length === 0 || isSplit(this.older, this.newer, hide)) {
      ready = [...this.older, ...this.newer];
      this.older = [];
    } else {
      ready = this.older;
      this.older = this.newer;
    }
    this.newer = [];
    this.size = this.older.reduce((sum, { line }) => sum + line.length, 0);
    return this.lines(ready);
  }

  /** The remaining lines, and the outcome of the task. @param failure added as a separate line */
  end(failure?: string): LogLine[] {
    for (const stream of ['stdout', 'stderr'] as const) this.add(stream, this.cutters[stream].end());
    const lines = this.lines([...this.older, ...this.newer]);
    this.older = this.newer = [];
    this.size = 0;
    const at = new Date().toISOString();
    const { of, hide } = this.options;
    if (this.reason !== undefined) {
      const { bytes, lines: count } = this.dropped;
      const what = `${count} lines (${sizeOf(bytes)})`;
      lines.push({ at, ...of, stream: 'notice', line: `${what} were dropped: ${this.reason}` });
    }
    if (failure !== undefined)
      for (const line of pieces(hide.text(failure))) lines.push({ at, ...of, stream: 'error', line });
    return lines;
  }

  private add(stream: Stream, lines: readonly string[]): void {
    const at = new Date().toISOString();
    for (const line of lines) this.newer.push({ at, stream, line });
  }

  private lines(texts: readonly Text[]): LogLine[] {
    const { of, hide } = this.options;
    return hidden(texts, hide).map(({ at, stream, line }) => ({ at, ...of, stream, line }));
  }

  private drop(chunk: Buffer, reason: string): void {
    this.reason ??= reason;
    this.dropped.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.dropped.lines++;
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${+(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
