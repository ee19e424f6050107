import { changes, type Displayed, progressBlock, type ShownProgress } from './progress-lines';
import { wantsColor } from './paint';

export interface Display {
  show(progress: ShownProgress): void;
  /** Prints a permanent line above the redrawn block. */
  note(line: string): void;
  /** Removes the redrawn block. */
  end(): void;
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/**
 * A redrawn block on a terminal, otherwise one line per change. Everything is written to `stream`, standard error.
 */
export function progressDisplay(stream: NodeJS.WriteStream, started: number, of: Displayed): Display {
  return stream.isTTY ? new BlockDisplay(stream, started) : lineDisplay(stream, of);
}

function lineDisplay(stream: NodeJS.WriteStream, of: Displayed): Display {
  let last: ShownProgress | undefined;
  return {
    show(progress) {
      for (const line of changes(last, progress, of)) stream.write(`  ${line}\n`);
      last = progress;
    },
    note: (line) => void stream.write(`${line}\n`),
    end: () => undefined,
  };
}

class BlockDisplay implements Display {
  private drawn = 0;
  private tick = 0;
  private readonly restore = (): void => void this.stream.write(SHOW_CURSOR);

  constructor(
    private readonly stream: NodeJS.WriteStream,
    private readonly started: number,
  ) {
    stream.write(HIDE_CURSOR);
    process.once('exit', this.restore);
  }

  show(progress: ShownProgress): void {
    const now = Date.now();
    const frame = { progress, elapsed: now - this.started, now, tick: (this.tick += 1) };
    const width = (this.stream.columns || 80) - 1;
    const lines = progressBlock(frame, wantsColor(this.stream)).map((line) => cut(line, width));
    this.erase();
    this.stream.write(lines.map((line) => `${line}\n`).join(''));
    this.drawn = lines.length;
  }

  note(line: string): void {
    this.erase();
    this.stream.write(`${line}\n`);
  }

  end(): void {
    this.erase();
    this.restore();
    process.off('exit', this.restore);
  }

  private erase(): void {
    if (this.drawn > 0) this.stream.write(`\u001b[${this.drawn}A\u001b[J`);
    this.drawn = 0;
  }
}

/** Truncates to a number of visible characters; a wrapped line would break the redrawing. */
export function cut(line: string, width: number): string {
  let visible = 0;
  let text = '';
  for (const [piece] of line.matchAll(/\u001b\[[0-9;]*m|./gu)) {
    if (piece.startsWith('\u001b')) text += piece;
    else if ((visible += 1) <= width) text += piece;
  }
  return text;
}
