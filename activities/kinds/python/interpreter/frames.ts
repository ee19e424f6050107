/** The frames between worker and warm interpreter (activities/python/warm.py): length, task id, type, payload. */

export interface InterpreterFrame {
  readonly id: number;
  readonly type: string;
  readonly payload: Buffer;
}

const HEADER = 9;

export function encodeFrame(id: number, type: string, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER);
  header.writeUInt32BE(payload.length, 0);
  header.writeUInt32BE(id, 4);
  header.write(type, 8, 'latin1');
  return Buffer.concat([header, payload]);
}

/** Splits a byte stream into frames, however it is divided into chunks. */
export class InterpreterFrameReader {
  private pieces: Buffer[] = [];
  private size = 0;

  *push(chunk: Buffer): Generator<InterpreterFrame> {
    this.pieces.push(chunk);
    this.size += chunk.length;
    while (this.size >= HEADER) {
      const head = this.joined(HEADER);
      const length = head.readUInt32BE(0);
      if (this.size < HEADER + length) return;
      const all = this.joined(HEADER + length);
      const frame = {
        id: all.readUInt32BE(4),
        type: String.fromCharCode(all[8]!),
        payload: all.subarray(HEADER, HEADER + length),
      };
      const rest = all.subarray(HEADER + length);
      this.size -= HEADER + length;
      this.pieces[0] = rest;
      yield frame;
    }
  }

  /** The first chunk, extended to at least `size` bytes. Joining only if needed keeps large frames linear. */
  private joined(size: number): Buffer {
    if (this.pieces[0]!.length < size) this.pieces = [Buffer.concat(this.pieces)];
    return this.pieces[0]!;
  }
}
