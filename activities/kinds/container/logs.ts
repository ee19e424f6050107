/** What a container says: its end is kept for the result, its last lines go to the heartbeats, all of it to who follows. */
import { Writable } from 'node:stream';
import { TailBuffer } from '../../framework/tool/bounded';
import { type ToolContext } from '../../framework/tool/tool';

/** Who hears of it while it runs. */
export type Listeners = Pick<ToolContext, 'heartbeat' | 'print'>;

/** Bytes kept of each of stdout and stderr. */
const OUTPUT_LIMIT = 256 * 1024;
/** Lines that a person sees on the pending activity, and how long one may be. */
const SHOWN_LINES = 5;
const SHOWN_LENGTH = 500;

export class Logs {
  readonly stdout = new TailBuffer(OUTPUT_LIMIT);
  readonly stderr = new TailBuffer(OUTPUT_LIMIT);
  /** Bytes of the log that were read. */
  read = 0;
  private lines: string[] = [''];

  /** @param told bytes of the log that were printed before, where it is read again from its start */
  constructor(
    private readonly container: string,
    private readonly listeners: Listeners,
    private readonly told = 0,
  ) {}

  /** Where a runtime writes one of the streams. */
  into(stream: 'stdout' | 'stderr'): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this[stream].push(chunk);
        const news = chunk.subarray(Math.max(0, this.told - this.read));
        this.read += chunk.length;
        if (news.length > 0) this.listeners.print?.(stream, news);
        this.show(chunk.toString('utf8'));
        done();
      },
    });
  }

  private show(text: string): void {
    const [first, ...more] = text.split('\n');
    const whole = [...this.lines.slice(0, -1), this.lines.at(-1)! + first!, ...more];
    this.lines = whole.slice(-SHOWN_LINES - 1).map((line) => line.slice(0, SHOWN_LENGTH));
    this.listeners.heartbeat({ container: this.container, log: this.lines.filter(Boolean) });
  }
}
