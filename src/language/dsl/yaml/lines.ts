import { type SourcePosition } from '../../plan';

/** Converts offsets to lines and columns. A line ends with LF, CRLF or CR, as in YAML. */
export class LineIndex {
  private readonly starts: number[];

  /** @param before of a text that this one begins with */
  constructor(
    readonly text: string,
    before?: LineIndex,
  ) {
    this.starts = before ? [...before.starts] : [0];
    for (let i = before?.text.length ?? 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) this.starts.push(i + 1);
    }
  }

  /** Line and column, both 1-based; an offset outside the text is clamped. */
  position(offset: number): SourcePosition {
    const at = Math.min(Math.max(offset, 0), this.text.length);
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return [low + 1, at - this.starts[low]! + 1];
  }

  /** The offset of a position, the inverse of `position`. */
  offset(line: number, column: number): number {
    return (this.starts[line - 1] ?? this.text.length) + column - 1;
  }

  /** The text of a 1-based line, without its line ending. */
  line(line: number): string {
    const start = this.starts[line - 1];
    if (start === undefined) return '';
    return this.text.slice(start, this.starts[line] ?? this.text.length).replace(/[\r\n]+$/, '');
  }
}
