/** Splits a byte stream into lines. */
import { StringDecoder } from 'node:string_decoder';

/** Characters; a longer line is split. */
const MAX_LINE = 64 * 1024;

export class LineCutter {
  private readonly decoder = new StringDecoder('utf8');
  /** An incomplete line. */
  private rest = '';

  /** Lines completed by this chunk. */
  push(chunk: Buffer): string[] {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    const last = pieces(lines.pop() ?? '');
    this.rest = last.pop() ?? '';
    return [...lines.flatMap((line) => pieces(line.replace(/\r$/, ''))), ...last];
  }

  /** The text after the last line break. */
  end(): string[] {
    const rest = this.rest + this.decoder.end();
    this.rest = '';
    return rest === '' ? [] : pieces(rest);
  }
}

export function pieces(line: string): string[] {
  if (line.length <= MAX_LINE) return [line];
  const count = Math.ceil(line.length / MAX_LINE);
  return Array.from({ length: count }, (_, index) => line.slice(index * MAX_LINE, (index + 1) * MAX_LINE));
}
