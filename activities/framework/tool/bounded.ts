/**
 * Texts of bounded length. Where one is cut stands a mark: what is left of a secret beside it is redacted with the rest
 * (credentials/cut-marks.ts), so that nobody has to know secrets here.
 */

/** Stands where a text was cut. */
export const CUT = '…';

/** The beginning of a text, of at most `limit` characters and the mark. */
export function shortenedText(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}${CUT}` : text;
}

/** Keeps the last bytes of a stream: tool output is kept, but bounded. */
export class TailBuffer {
  private chunks: Buffer[] = [];
  private size = 0;
  private total = 0;

  /** @param limit bytes kept. */
  constructor(private readonly limit: number) {}

  push(chunk: Buffer): void {
    this.total += chunk.length;
    this.chunks.push(chunk.length > this.limit ? chunk.subarray(chunk.length - this.limit) : chunk);
    this.size += Math.min(chunk.length, this.limit);
    while (this.size - this.chunks[0]!.length >= this.limit) this.size -= this.chunks.shift()!.length;
  }

  /** The kept text; if output was dropped, its first line says how much. */
  toString(): string {
    const all = Buffer.concat(this.chunks);
    const kept = all.length > this.limit ? all.subarray(all.length - this.limit) : all;
    return tailText(kept, this.total);
  }
}

/** `kept` is the end of an output of `total` bytes. A character cut at the start is dropped. */
export function tailText(kept: Buffer, total: number): string {
  if (kept.length >= total) return kept.toString('utf8');
  let start = 0;
  while (start < Math.min(4, kept.length) && (kept[start]! & 0xc0) === 0x80) start++;
  return `[… ${total - (kept.length - start)} bytes of output dropped …]\n${kept.subarray(start).toString('utf8')}`;
}

const DROPPED = /^\[… \d+ bytes of output dropped …\]$/;

/** The last line of a program's output, for a message. */
export function lastTextLine(text: string): string {
  const [line = '', before = ''] = text.trimEnd().split('\n').reverse();
  return `${DROPPED.test(before) ? CUT : ''}${shortenedText(line, 500)}`;
}
