/** Longer texts are searched for by our own algorithm: V8's takes time in proportion to both lengths. */
const SHORT = 16;

/** Finds a text in others, in time proportional to their lengths (Knuth, Morris and Pratt). */
export class Finder {
  private borders: Int32Array | undefined;

  /** @param part not empty */
  constructor(private readonly part: string) {}

  /** Where the text first contains the part, from `from` on; -1 if nowhere. */
  first(text: string, from = 0): number {
    if (this.part.length <= SHORT) return text.indexOf(this.part, from);
    const { part } = this;
    const borders = (this.borders ??= bordersOf(part));
    for (let at = from, matched = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
      if (part.charCodeAt(matched) === unit) matched++;
      if (matched === part.length) return at - matched + 1;
    }
    return -1;
  }

  /** Where the text last contains the part; -1 if nowhere. */
  last(text: string): number {
    if (this.part.length <= SHORT) return text.lastIndexOf(this.part);
    const reversed = new Finder(backwards(this.part)).first(backwards(text));
    return reversed < 0 ? -1 : text.length - reversed - this.part.length;
  }

  /** The pieces of the text between the parts. */
  split(text: string): string[] {
    if (this.part.length <= SHORT) return text.split(this.part);
    const pieces: string[] = [];
    let from = 0;
    for (let at = this.first(text); at >= 0; at = this.first(text, from)) {
      pieces.push(text.slice(from, at));
      from = at + this.part.length;
    }
    pieces.push(text.slice(from));
    return pieces;
  }
}

/** The units of a text in reverse. */
function backwards(text: string): string {
  return text.split('').reverse().join('');
}

/** For each beginning of the part, how much of it is also its end. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === unit) matched++;
    borders[at] = matched;
  }
  return borders;
}
