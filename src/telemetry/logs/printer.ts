/**
 * Output of one task: from the bytes of its streams to lines without secrets, up to the limit per task; of what is beyond,
 * the end.
 */
import { LineCutter, pieces } from './cutter';
import { Ending, endsIn } from './ending';
import { hiddenTexts, type Hiding, isSplit, type Text } from './hide';
import { type LogLine, type LogStream } from './line';

export interface PrinterOptions {
  /** The task's fields in every line. */
  readonly of: Pick<LogLine, 'step' | 'task' | 'task_run_id' | 'attempt' | 'iteration'>;
  /** Limit of the task's stored output in bytes. */
  readonly limit: number;
  /** Bytes kept of the end of what is not stored. */
  readonly ending?: number;
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
  private readonly ending: Ending;

  constructor(private readonly options: PrinterOptions) {
    this.ending = new Ending(options.ending);
  }

  write(stream: LogStream, chunk: Buffer): void {
    const room = this.isFull ? 0 : this.options.limit - this.kept;
    const part = chunk.subarray(0, room);
    if (part.length > 0 && !this.options.hasRoom(part.length)) {
      // The following output does not continue this line.
      this.add(stream, this.cutters[stream].end());
      return this.drop(stream, chunk, 'it came faster than this worker could store it');
    }
    if (part.length > 0) this.ending.clear();
    this.kept += part.length;
    this.size += part.length;
    this.add(stream, this.cutters[stream].push(part));
    if (part.length === chunk.length) return;
    this.isFull = true;
    this.drop(stream, chunk.subarray(part.length), `a task may print ${sizeOf(this.options.limit)}`);
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
    const { of, hide } = this.options;
    const { isWhole } = this.ending;
    if (!isWhole)
      for (const stream of ['stdout', 'stderr'] as const) this.add(stream, this.cutters[stream].end());
    const size = this.ending.heldSize;
    const rest = this.ending.lines(this.cutters);
    const lines = this.lines([...this.older, ...this.newer, ...(isWhole ? rest : [])]);
    const shown = isWhole ? [] : this.ending.shown(hiddenTexts(rest, hide));
    this.older = this.newer = [];
    this.size = 0;
    lines.push(...this.notice(isWhole ? size : sizesOf(shown), shown.length > 0));
    for (const text of shown) lines.push({ ...of, ...text });
    const at = new Date().toISOString();
    if (failure !== undefined)
      for (const line of pieces(hide.text(failure))) lines.push({ at, ...of, stream: 'error', line });
    return lines;
  }

  /** What is missing, before the end of the output that is shown nevertheless. */
  private notice(kept: { readonly bytes: number; readonly lines: number }, follows: boolean): LogLine[] {
    const bytes = this.dropped.bytes - kept.bytes;
    if (this.reason === undefined || bytes <= 0) return [];
    const what = `${Math.max(0, this.dropped.lines - kept.lines)} lines (${sizeOf(bytes)})`;
    const line = `${what} were dropped: ${this.reason}${follows ? '; the end follows' : ''}`;
    return [{ at: new Date().toISOString(), ...this.options.of, stream: 'notice', line }];
  }

  private add(stream: LogStream, lines: readonly string[]): void {
    const at = new Date().toISOString();
    for (const line of lines) this.newer.push({ at, stream, line });
  }

  private lines(texts: readonly Text[]): LogLine[] {
    const { of, hide } = this.options;
    return hiddenTexts(texts, hide).map(({ at, stream, line }) => ({ at, ...of, stream, line }));
  }

  private drop(stream: LogStream, chunk: Buffer, reason: string): void {
    this.reason ??= reason;
    this.dropped.bytes += chunk.length;
    this.dropped.lines += endsIn(chunk);
    this.ending.add(stream, chunk);
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${+(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function sizesOf(texts: readonly Text[]): { bytes: number; lines: number } {
  const bytes = texts.reduce((sum, { line }) => sum + Buffer.byteLength(line) + 1, 0);
  return { bytes, lines: texts.length };
}
