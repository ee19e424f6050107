import { TemplateError } from '../errors';

/** A regular expression in Python's syntax, as a tree. */
export type Node =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly of: Node;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'group'; readonly of: Node; readonly index: number }
  | { readonly kind: 'same'; readonly index: number }
  | { readonly kind: 'look'; readonly of: Node; readonly behind: boolean; readonly negated: boolean }
  | { readonly kind: 'edge'; readonly edge: Edge };

/** Whether a code point matches. */
export type CharTest = (point: number) => boolean;
export type Edge = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

interface Parsed {
  readonly root: Node;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const maxPattern = 2000;
const maxDepth = 100;

const digit: CharTest = (c) => (c >= 48 && c <= 57) || (c > 127 && /\p{Nd}/u.test(String.fromCodePoint(c)));
const space: CharTest = (c) =>
  (c >= 9 && c <= 13) || c === 32 || (c > 27 && /\s/.test(String.fromCodePoint(c)));
const word: CharTest = (c) =>
  (c >= 97 && c <= 122) ||
  (c >= 65 && c <= 90) ||
  (c >= 48 && c <= 57) ||
  c === 95 ||
  (c > 127 && /[\p{L}\p{N}]/u.test(String.fromCodePoint(c)));
const not =
  (test: CharTest): CharTest =>
  (c) =>
    !test(c);
const classes: Readonly<Record<string, CharTest>> = {
  d: digit,
  D: not(digit),
  w: word,
  W: not(word),
  s: space,
  S: not(space),
};
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, 0: 0 };

/** Whether a code point is part of a word. */
export const isWord = word;

/** Parses a pattern. Throws NT4112 naming the error or unsupported construct, and its position. */
export function parseRegex(pattern: string, flags: Flags): Parsed {
  if (pattern.length > maxPattern) {
    throw new TemplateError('wrongValue', `a pattern of more than ${String(maxPattern)} characters`);
  }
  return new RegexParser(Array.from(pattern), flags).parse();
}

class RegexParser {
  private at = 0;
  private groups = 0;
  private depth = 0;
  private readonly names = new Map<string, number>();

  constructor(
    private readonly chars: readonly string[],
    private flags: Flags,
  ) {}

  parse(): Parsed {
    const root = this.choice();
    if (this.at < this.chars.length) throw this.error("')' closes nothing");
    return { root, groups: this.groups, names: this.names };
  }

  private choice(): Node {
    if (++this.depth > maxDepth) throw this.error('nested too deeply');
    const parts = [this.sequence()];
    while (this.skip('|')) parts.push(this.sequence());
    this.depth--;
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    while (this.at < this.chars.length && !this.sees('|') && !this.sees(')'))
      parts.push(this.repeat(this.atom()));
    return { kind: 'sequence', parts };
  }

  private repeat(of: Node): Node {
    const [min, max] = this.quantifier() ?? [1, 1];
    if (min === 1 && max === 1) return of;
    const lazy = this.skip('?');
    if (this.sees('*') || this.sees('+') || this.sees('?')) throw this.error('two quantifiers in a row');
    return { kind: 'repeat', of, min, max, lazy };
  }

  private quantifier(): [number, number] | undefined {
    if (this.skip('*')) return [0, Infinity];
    if (this.skip('+')) return [1, Infinity];
    if (this.skip('?')) return [0, 1];
    const counted = /^\{(\d*)(,?)(\d*)\}/.exec(this.chars.slice(this.at, this.at + 12).join(''));
    if (!counted || (counted[1] === '' && counted[3] === '')) return undefined;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === '' ? min : counted[3] === '' ? Infinity : Number(counted[3]);
    if (min > 1000 || (max > 1000 && max !== Infinity)) throw this.error('a count above 1000');
    if (max < min) throw this.error('a count whose upper bound is below the lower');
    return [min, max];
  }

  private atom(): Node {
    const char = this.chars[this.at++]!;
    switch (char) {
      case '.':
        return { kind: 'char', test: this.flags.dotAll ? () => true : (c) => c !== 10 };
      case '^':
        return { kind: 'edge', edge: this.flags.multiline ? 'lineStart' : 'start' };
      case '$':
        return { kind: 'edge', edge: this.flags.multiline ? 'lineEnd' : 'end' };
      case '(':
        return this.group();
      case '[':
        return { kind: 'char', test: this.set() };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw this.error(`'${char}' repeats nothing`);
      default:
        return this.literal(char.codePointAt(0)!);
    }
  }

  private literal(point: number): Node {
    return { kind: 'char', test: this.exactly(point) };
  }

  private exactly(point: number): CharTest {
    if (!this.flags.ignoreCase) return (c) => c === point;
    const folded = fold(point);
    return (c) => c === point || fold(c) === folded;
  }

  private escape(): Node {
    const char = this.chars[this.at++];
    if (char === undefined) throw this.error("'\\' escapes nothing");
    if (Object.hasOwn(classes, char)) return { kind: 'char', test: classes[char]! };
    if (char === 'b') return { kind: 'edge', edge: 'word' };
    if (char === 'B') return { kind: 'edge', edge: 'notWord' };
    if (char === 'A') return { kind: 'edge', edge: 'start' };
    if (char === 'Z' || char === 'z') return { kind: 'edge', edge: 'end' };
    if (/[1-9]/.test(char)) return { kind: 'same', index: this.groupIndex(Number(char)) };
    return this.literal(this.escapedPoint(char));
  }

  private escapedPoint(char: string): number {
    if (Object.hasOwn(controls, char)) return controls[char]!;
    const size = char === 'x' ? 2 : char === 'u' ? 4 : 0;
    if (size > 0) {
      const digits = this.chars.slice(this.at, this.at + size).join('');
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < size)
        throw this.error(`'\\${char}' needs digits`);
      this.at += size;
      return parseInt(digits, 16);
    }
    if (/[A-Za-z0-9]/.test(char)) throw this.error(`'\\${char}' is not supported`);
    return char.codePointAt(0)!;
  }

  private groupIndex(index: number): number {
    if (index > this.groups) throw this.error(`group ${String(index)} does not exist`);
    return index;
  }

  private group(): Node {
    const look = this.take(/^\?(<?)([=!])/);
    if (look) {
      return { kind: 'look', of: this.closed(), behind: look[1] === '<', negated: look[2] === '!' };
    }
    const reference = this.take(/^\?P=(\w+)\)/);
    if (reference) {
      const index = this.names.get(reference[1]!);
      if (index === undefined) throw this.error(`group '${reference[1]!}' does not exist`);
      return { kind: 'same', index };
    }
    if (this.take(/^\?:/)) return this.closed();
    const flags = this.take(/^\?([ims]+)(\)|:)/);
    if (flags) return this.flagged(flags[1]!, flags[2] === ':');
    const name = this.take(/^\?P?<(\w+)>/)?.[1];
    if (this.sees('?')) throw this.error('this kind of group is not supported');
    const index = ++this.groups;
    if (name !== undefined) this.names.set(name, index);
    return { kind: 'group', of: this.closed(), index };
  }

  private flagged(letters: string, scoped: boolean): Node {
    const outer = this.flags;
    this.flags = {
      ignoreCase: outer.ignoreCase || letters.includes('i'),
      multiline: outer.multiline || letters.includes('m'),
      dotAll: outer.dotAll || letters.includes('s'),
    };
    if (!scoped) return { kind: 'sequence', parts: [] };
    const inner = this.closed();
    this.flags = outer;
    return inner;
  }

  private closed(): Node {
    const inner = this.choice();
    if (!this.skip(')')) throw this.error("')' is missing");
    return inner;
  }

  private set(): CharTest {
    const negated = this.skip('^');
    const tests: CharTest[] = [];
    for (let first = true; first || !this.sees(']'); first = false) {
      if (this.at >= this.chars.length) throw this.error("']' is missing");
      tests.push(this.setMember());
    }
    this.at++;
    return negated ? (c) => !tests.some((test) => test(c)) : (c) => tests.some((test) => test(c));
  }

  private setMember(): CharTest {
    const low = this.setPoint();
    if (typeof low === 'function') return low;
    if (!this.sees('-') || this.chars[this.at + 1] === ']' || this.at + 1 >= this.chars.length) {
      return this.exactly(low);
    }
    this.at++;
    const high = this.setPoint();
    if (typeof high === 'function' || high < low) throw this.error('this range of characters is empty');
    const within: CharTest = (c) => c >= low && c <= high;
    if (!this.flags.ignoreCase) return within;
    return (c) => within(c) || within(fold(c)) || within(raise(c));
  }

  private setPoint(): number | CharTest {
    const char = this.chars[this.at++]!;
    if (char !== '\\') return char.codePointAt(0)!;
    const escaped = this.chars[this.at++];
    if (escaped === undefined) throw this.error("'\\' escapes nothing");
    if (escaped === 'b') return 8;
    return Object.hasOwn(classes, escaped) ? classes[escaped]! : this.escapedPoint(escaped);
  }

  private take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.chars.slice(this.at, this.at + 80).join(''));
    if (match) this.at += match[0].length;
    return match ?? undefined;
  }

  private sees(char: string): boolean {
    return this.chars[this.at] === char;
  }

  private skip(char: string): boolean {
    if (!this.sees(char)) return false;
    this.at++;
    return true;
  }

  private error(message: string): TemplateError {
    return new TemplateError(
      'wrongValue',
      `the pattern is wrong at character ${String(this.at)}: ${message}`,
    );
  }
}

/** Case folding of one code point. */
export function fold(point: number): number {
  return String.fromCodePoint(point).toLowerCase().codePointAt(0)!;
}

function raise(point: number): number {
  return String.fromCodePoint(point).toUpperCase().codePointAt(0)!;
}
