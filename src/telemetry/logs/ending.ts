/** The end of what a task printed beyond its limit, or faster than it was stored. */
import { LineCutter } from './cutter';
import { type Text } from './hide';
import { type LogStream } from './line';

/** Bytes shown of it, at most. */
export const ENDING = 128 * 1024;
/** Bytes held before them: a secret that the first line shown would cut begins there, and is found whole. */
const LEAD = 16 * 1024;

interface Piece {
  readonly at: string;
  readonly stream: LogStream;
  readonly chunk: Buffer;
}

type Cutters = Readonly<Record<LogStream, LineCutter>>;

export class Ending {
  /** Nothing of it is missing. */
  isWhole = true;
  private pieces: Piece[] = [];
  private first = 0;
  private size = 0;

  /** @param most bytes shown */
  constructor(private readonly most = ENDING) {}

  add(stream: LogStream, chunk: Buffer): void {
    const room = this.most + LEAD;
    const kept = chunk.subarray(Math.max(0, chunk.length - room));
    this.pieces.push({ at: new Date().toISOString(), stream, chunk: kept });
    this.size += kept.length;
    if (kept.length < chunk.length) this.isWhole = false;
    for (let one = this.pieces[this.first]!; this.size - one.chunk.length >= room;) {
      this.size -= one.chunk.length;
      this.isWhole = false;
      one = this.pieces[++this.first]!;
    }
    if (this.first < 1_000) return;
    this.pieces = this.pieces.slice(this.first);
    this.first = 0;
  }

  /** What came then was stored: this is no end any more. */
  clear(): void {
    [this.pieces, this.first, this.size, this.isWhole] = [[], 0, 0, true];
  }

  /** Of what is held: bytes, and ends of lines. */
  get heldSize(): { readonly bytes: number; readonly lines: number } {
    const chunks = this.pieces.slice(this.first).map(({ chunk }) => chunk);
    return { bytes: this.size, lines: chunks.reduce((sum, chunk) => sum + endsIn(chunk), 0) };
  }

  /** All lines that are held. @param before the cutters of the lines before, which go on if nothing is missing between */
  lines(before: Cutters): Text[] {
    const cutters = this.isWhole ? before : { stdout: new LineCutter(), stderr: new LineCutter() };
    const pieces = this.pieces.slice(this.first);
    const now = new Date().toISOString();
    const textsOf = (at: string, stream: LogStream, lines: readonly string[]): Text[] =>
      lines.map((line) => ({ at, stream, line }));
    return [
      ...pieces.flatMap(({ at, stream, chunk }) => textsOf(at, stream, cutters[stream].push(chunk))),
      ...(['stdout', 'stderr'] as const).flatMap((stream) => textsOf(now, stream, cutters[stream].end())),
    ];
  }

  /** Those that are shown: whole lines from the end. @param texts without secrets */
  shown(texts: readonly Text[]): readonly Text[] {
    let size = 0;
    const last = texts.findLastIndex(({ line }) => (size += line.length + 1) > this.most);
    return texts.slice(last + 1);
  }
}

/** The number of line breaks. */
export function endsIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
