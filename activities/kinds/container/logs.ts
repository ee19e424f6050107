/** What a container says: its end is kept for the result, its last lines go to the heartbeats. */
import { Writable } from 'node:stream';
import { type Json } from '../../../src/plan';
import { TailBuffer } from '../../framework/tool/bounded';

/** Bytes kept of each of stdout and stderr. */
const OUTPUT_LIMIT = 256 * 1024;
/** Lines that a person sees on the pending activity, and how long one may be. */
const SHOWN_LINES = 5;
const SHOWN_LENGTH = 500;

export class Logs {
  readonly stdout = new TailBuffer(OUTPUT_LIMIT);
  readonly stderr = new TailBuffer(OUTPUT_LIMIT);
  private lines: string[] = [''];

  /** @param heartbeat told the last lines whenever there are more */
  constructor(
    private readonly container: string,
    private readonly heartbeat: (details: Json) => void,
  ) {}

  /** Where a runtime writes one of the streams. */
  into(stream: 'stdout' | 'stderr'): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this[stream].push(chunk);
        this.show(chunk.toString('utf8'));
        done();
      },
    });
  }

  private show(text: string): void {
    const [first, ...more] = text.split('\n');
    const whole = [...this.lines.slice(0, -1), this.lines.at(-1)! + first!, ...more];
    this.lines = whole.slice(-SHOWN_LINES - 1).map((line) => line.slice(0, SHOWN_LENGTH));
    this.heartbeat({ container: this.container, log: this.lines.filter(Boolean) });
  }
}
