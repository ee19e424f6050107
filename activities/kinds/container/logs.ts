/**
 * The output of a container: its end is kept for the result, its last lines are sent in heartbeats, and all of it
 * goes to listeners.
 */
import { Writable } from 'node:stream';
import { CUT, shortenedText, TailBuffer } from '../../framework/tool/bounded';
import { type ToolContext } from '../../framework/tool/tool';

/** Receivers of output while it runs. */
export type Listeners = Pick<ToolContext, 'heartbeat' | 'print'>;

/** Bytes kept of each of stdout and stderr. */
const OUTPUT_LIMIT = 256 * 1024;
/** Lines shown on the pending activity, and their maximum length. */
const SHOWN_LINES = 5;
const SHOWN_LENGTH = 500;

export class ContainerLogs {
  readonly stdout = new TailBuffer(OUTPUT_LIMIT);
  readonly stderr = new TailBuffer(OUTPUT_LIMIT);
  /** Bytes of the log read so far. */
  read = 0;
  private lines: string[] = [''];

  /** @param printedBytes bytes of the log already printed, if it is read again from its start */
  constructor(
    private readonly container: string,
    private readonly listeners: Listeners,
    private readonly printedBytes = 0,
  ) {}

  /** The stream to which a runtime writes stdout or stderr. */
  into(stream: 'stdout' | 'stderr'): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this[stream].push(chunk);
        const news = chunk.subarray(Math.max(0, this.printedBytes - this.read));
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
    this.lines = whole.slice(-SHOWN_LINES - 1).map((line) => shortenedText(line, SHOWN_LENGTH));
    // The last line may go on: what of a secret is there already is hidden as at a cut.
    const last = this.lines.at(-1)!;
    const shown = [...this.lines.slice(0, -1), last && `${last}${CUT}`];
    this.listeners.heartbeat({ container: this.container, log: shown.filter(Boolean) });
  }
}
