/**
 * What DuckDB's process and its worker send each other: a frame is a JSON object and a text (rows as JSON, a value to
 * bind), each behind its length, so that rows are written and parsed once.
 */
import { type Duplex } from 'node:stream';

export interface DuckdbFrame {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const LENGTHS = 8;
/** More than V8 can hold in one text. */
const MAX_FRAME = 0x3000_0000;

export function sendFrame(channel: Duplex, meta: object, text = ''): void {
  const head = Buffer.from(JSON.stringify(meta));
  const body = Buffer.from(text);
  const lengths = Buffer.allocUnsafe(LENGTHS);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  channel.cork();
  channel.write(lengths);
  channel.write(head);
  if (body.length > 0) channel.write(body);
  channel.uncork();
}

/** Puts frames together from what arrives. */
export class DuckdbFrameReader {
  private pieces: Buffer[] = [];
  private size = 0;
  private needed = LENGTHS;

  /** @throws Error for what cannot be a frame */
  push(piece: Buffer): DuckdbFrame[] {
    this.pieces.push(piece);
    this.size += piece.length;
    const frames: DuckdbFrame[] = [];
    while (this.size >= this.needed) {
      const all = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
      const [head, body] = [all.readUInt32LE(0), all.readUInt32LE(4)];
      const end = LENGTHS + head + body;
      if (end > MAX_FRAME) throw new Error(`a frame of ${end} bytes`);
      this.pieces = [all];
      this.needed = end;
      if (all.length < end) break;
      frames.push({
        meta: JSON.parse(all.toString('utf8', LENGTHS, LENGTHS + head)) as DuckdbFrame['meta'],
        text: all.toString('utf8', LENGTHS + head, end),
      });
      this.pieces = all.length > end ? [all.subarray(end)] : [];
      this.size = all.length - end;
      this.needed = LENGTHS;
    }
    return frames;
  }
}
