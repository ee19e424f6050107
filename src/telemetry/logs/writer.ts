/** Stores the output of a worker's tasks a few times a second, grouped by execution. */
import { type Hiding } from './hide';
import { type LogLine } from './line';
import { ChunkNames } from './names';
import { Printer, type PrinterOptions } from './printer';
import { type LogStore } from './store';

/** Interval between writes. */
const TICK_MS = 200;
/** Limit of all lines waiting to be stored, in bytes. */
const ROOM = 64 * 1024 * 1024;
/** Lines of one chunk, which readers load as a whole. */
const MAX_CHUNK_LINES = 5_000;
/** Limit of one task, in bytes. */
const TASK_LIMIT = 16 * 1024 * 1024;
/** Attempts to write to an unavailable store before lines are dropped. */
const TRIES = 20;

export interface LogWriterOptions {
  /** Called with the number of lines that could not be stored, and why. */
  readonly lost?: (lines: number, why: string) => void;
  /** Limit of one task in bytes; default 16 MiB. */
  readonly taskLimit?: number;
}

/** Parameters of a printer. */
export interface Printing {
  readonly execution_id: string;
  readonly of: PrinterOptions['of'];
  readonly hide: Hiding;
  readonly untilEnd?: boolean;
}

/** Waiting lines of one execution. */
interface Queue {
  readonly lines: LogLine[];
  writing?: Promise<void>;
}

export class LogWriter {
  readonly taskLimit: number;
  private readonly printers = new Map<Printer, string>();
  private readonly queues = new Map<string, Queue>();
  private readonly names = new ChunkNames();
  private timer: NodeJS.Timeout | undefined;
  private queued = 0;
  private readonly lost: (lines: number, why: string) => void;

  constructor(
    private readonly store: LogStore,
    { lost = () => undefined, taskLimit = TASK_LIMIT }: LogWriterOptions = {},
  ) {
    this.lost = lost;
    this.taskLimit = taskLimit;
  }

  /** Receives the output of a task until `close`. */
  open({ execution_id, of, hide, untilEnd = false }: Printing): Printer {
    const hasRoom = (bytes: number): boolean => this.waiting + bytes <= ROOM;
    const printer = new Printer({ of, hide, untilEnd, hasRoom, limit: this.taskLimit });
    this.printers.set(printer, execution_id);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return printer;
  }

  /** Ends a task's output. @param failure the task's failure */
  close(printer: Printer, failure?: string): void {
    const id = this.printers.get(printer);
    if (id === undefined) return;
    this.printers.delete(printer);
    this.add(id, printer.end(failure));
  }

  /** Stores all output so far; resolves when it is stored or dropped. */
  async flush(): Promise<void> {
    for (const [printer, id] of this.printers) this.add(id, printer.take());
    this.storeAll();
    await Promise.all([...this.queues.values()].map(async ({ writing }) => writing));
  }

  private get waiting(): number {
    return [...this.printers.keys()].reduce((sum, { size }) => sum + size, this.queued);
  }

  private tick(): void {
    for (const [printer, id] of this.printers) this.add(id, printer.take());
    this.storeAll();
    if (this.printers.size > 0 || this.queues.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private add(id: string, lines: readonly LogLine[]): void {
    if (lines.length === 0) return;
    let queue = this.queues.get(id);
    if (!queue) this.queues.set(id, (queue = { lines: [] }));
    for (const one of lines) queue.lines.push(one);
    this.queued += sizeOf(lines);
  }

  /** One write at a time per execution, so that its chunks are in order. */
  private storeAll(): void {
    for (const [id, queue] of this.queues) {
      queue.writing ??= this.write(id, queue).finally(() => {
        delete queue.writing;
        if (queue.lines.length === 0) this.queues.delete(id);
      });
    }
  }

  private async write(id: string, queue: Queue): Promise<void> {
    while (queue.lines.length > 0) {
      const lines = queue.lines.splice(0, MAX_CHUNK_LINES);
      try {
        await this.attempt(id, this.names.next(Date.now(), lines.length), lines);
      } catch (error) {
        this.lost(lines.length, error instanceof Error ? error.message : String(error));
        const line = `${lines.length} lines dropped: the store did not take them`;
        const [next] = queue.lines;
        if (next) queue.lines.unshift({ ...next, stream: 'notice', line });
      } finally {
        this.queued -= sizeOf(lines);
      }
    }
  }

  private async attempt(id: string, name: string, lines: readonly LogLine[]): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.store.write(id, name, lines);
      } catch (error) {
        if (tries >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 100 * 2 ** tries)).unref());
      }
    }
  }
}

function sizeOf(lines: readonly LogLine[]): number {
  return lines.reduce((sum, { line }) => sum + line.length + 1, 0);
}
