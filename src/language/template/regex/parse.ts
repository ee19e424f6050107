import { TemplateError } from '../errors';
import { anyChar, bracketed, classes, notNewline, oneChar, type CharSet, type Members } from './chars';

/** A regular expression in Python's syntax, as a tree. */
export type RegexNode =
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    }
  | { readonly kind: 'group'; readonly of: RegexNode; readonly index: number }
  | {
      readonly kind: 'look';
      readonly of: RegexNode;
      /** Characters before the position at which the pattern of a look-behind begins. */
      readonly behind: number | undefined;
      readonly negated: boolean;
    }
  | { readonly kind: 'edge'; readonly edge: RegexAnchor };

export type RegexAnchor = 'start' | 'end' | 'beforeEnd' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

export interface RegexFlags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

interface Parsed {
  readonly root: RegexNode;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const edges: Readonly<Record<string, RegexAnchor>> = {
  b: 'word',
  B: 'notWord',
  A: 'start',
  Z: 'end',
  z: 'end',
};
/** The digits after `\x`, `\u` and `\U`. */
const digitsOf: Readonly<Record<string, RegExp>> = {
  x: /^[0-9a-fA-F]{2}/,
  u: /^[0-9a-fA-F]{4}/,
  U: /^[0-9a-fA-F]{8}/,
};
const maxPattern = 2000;
const maxDepth = 100;

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };

/** Parses a pattern. Throws NT4113 naming the error or unsupported construct, and its position. */
export function parseRegex(pattern: string, flags: RegexFlags): Parsed {
  if (pattern.length > maxPattern) {
    throw new TemplateError('wrongPattern', `a pattern of more than ${String(maxPattern)} characters`);
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
    private flags: RegexFlags,
  ) {}

  parse(): Parsed {
    const root = this.choice();
    if (this.at < this.chars.length) throw this.error("')' closes nothing");
    return { root, groups: this.groups, names: this.names };
  }

  private choice(): RegexNode {
    if (++this.depth > maxDepth) throw this.error('nested too deeply');
    const parts = [this.sequence()];
    while (this.skip('|')) parts.push(this.sequence());
    this.depth--;
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  private sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.at < this.chars.length && !this.sees('|') && !this.sees(')'))
      parts.push(this.repeat(this.atom()));
    return { kind: 'sequence', parts };
  }

  private repeat(of: RegexNode): RegexNode {
    const counts = this.quantifier();
    if (!counts) return of;
    if (of.kind === 'edge') throw this.error('this quantifier repeats nothing');
    const lazy = this.skip('?');
    if (this.sees('+')) throw this.error('possessive quantifiers are not supported');
    if (this.quantifier()) throw this.error('two quantifiers in a row');
    const [min, max] = counts;
    return { kind: 'repeat', of, min, max, lazy };
  }

  private quantifier(): [number, number] | undefined {
    if (this.skip('*')) return [0, Infinity];
    if (this.skip('+')) return [1, Infinity];
    if (this.skip('?')) return [0, 1];
    const counted = /^\{(\d*)(,?)(\d*)\}/.exec(this.chars.slice(this.at, this.at + 12).join(''));
    if (!counted || counted[0] === '{}') return undefined;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === '' ? min : counted[3] === '' ? Infinity : Number(counted[3]);
    if (min > 1000 || (max > 1000 && max !== Infinity)) throw this.error('a count above 1000');
    if (max < min) throw this.error('a count whose upper bound is below the lower');
    return [min, max];
  }

  private atom(): RegexNode {
    const char = this.chars[this.at++]!;
    switch (char) {
      case '.':
        return { kind: 'char', set: this.flags.dotAll ? anyChar : notNewline };
      case '^':
        return { kind: 'edge', edge: this.flags.multiline ? 'lineStart' : 'start' };
      case '$':
        return { kind: 'edge', edge: this.flags.multiline ? 'lineEnd' : 'beforeEnd' };
      case '(':
        return this.group();
      case '[':
        return { kind: 'char', set: this.set() };
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

  private literal(point: number): RegexNode {
    return { kind: 'char', set: oneChar(point, this.flags.ignoreCase) };
  }

  private escape(): RegexNode {
    const char = this.chars[this.at++];
    if (char === undefined) throw this.error("'\\' escapes nothing");
    if (Object.hasOwn(classes, char)) return { kind: 'char', set: classes[char]! };
    if (Object.hasOwn(edges, char)) return { kind: 'edge', edge: edges[char]! };
    if (/[1-9]/.test(char)) throw this.backReference(`\\${char}`);
    return this.literal(this.escapedPoint(char));
  }

  private escapedPoint(char: string): number {
    if (Object.hasOwn(controls, char)) return controls[char]!;
    if (char === '0') return parseInt(`0${this.take(/^[0-7]{1,2}/)?.[0] ?? ''}`, 8);
    if (Object.hasOwn(digitsOf, char)) {
      const point = parseInt(this.take(digitsOf[char]!)?.[0] ?? '', 16);
      if (!(point <= 0x10ffff)) throw this.error(`'\\${char}' needs digits`);
      return point;
    }
    if (/[A-Za-z0-9]/.test(char)) throw this.error(`'\\${char}' is not supported`);
    return char.codePointAt(0)!;
  }

  /** What a group matched depends on the way to a position: a matcher that knows positions only cannot compare with it. */
  private backReference(reference: string): TemplateError {
    return this.error(
      `the back-reference '${reference}' is not supported: capture both parts and compare them with ==`,
    );
  }

  private group(): RegexNode {
    const look = this.take(/^\?(<?)([=!])/);
    if (look) {
      const of = this.closed();
      return {
        kind: 'look',
        of,
        behind: look[1] === '<' ? this.fixedWidth(of) : undefined,
        negated: look[2] === '!',
      };
    }
    const reference = this.take(/^\?P=(\w+)\)/)?.[0];
    if (reference !== undefined) throw this.backReference(`(${reference}`);
    if (this.take(/^\?:/)) return this.closed();
    const flags = this.take(/^\?([ims]+)(\)|:)/);
    if (flags) return this.flagged(flags[1]!, flags[2] === ':');
    const name = this.take(/^\?P?<(\w+)>/)?.[1];
    if (this.sees('?')) throw this.error('this kind of group is not supported');
    const index = ++this.groups;
    if (name !== undefined) {
      if (this.names.has(name)) throw this.error(`two groups are called '${name}'`);
      this.names.set(name, index);
    }
    return { kind: 'group', of: this.closed(), index };
  }

  private flagged(letters: string, scoped: boolean): RegexNode {
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

  private closed(): RegexNode {
    const inner = this.choice();
    if (!this.skip(')')) throw this.error("')' is missing");
    return inner;
  }

  private fixedWidth(node: RegexNode): number {
    const [least, most] = widthOf(node);
    if (least === most) return least;
    throw this.error('a look-behind needs a pattern of fixed width');
  }

  private set(): CharSet {
    const negated = this.skip('^');
    const members: Members = { ranges: [], sets: new Set() };
    for (let first = true; first || !this.sees(']'); first = false) {
      if (this.at >= this.chars.length) throw this.error("']' is missing");
      this.member(members);
    }
    this.at++;
    return bracketed(members, negated, this.flags.ignoreCase);
  }

  private member({ ranges, sets }: Members): void {
    const low = this.setPoint();
    const isRange = this.sees('-') && this.at + 1 < this.chars.length && this.chars[this.at + 1] !== ']';
    if (isRange) this.at++;
    const high = isRange ? this.setPoint() : low;
    if (typeof low === 'number' && typeof high === 'number' && low <= high) ranges.push([low, high]);
    else if (typeof low !== 'number' && !isRange) sets.add(low);
    else throw this.error('this range of characters is empty');
  }

  private setPoint(): number | CharSet {
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
      'wrongPattern',
      `the pattern is wrong at character ${String(this.at)}: ${message}`,
    );
  }
}

/** The least and the most characters that a node matches. */
function widthOf(node: RegexNode): readonly [number, number] {
  switch (node.kind) {
    case 'char':
      return [1, 1];
    case 'sequence':
      return node.parts.map(widthOf).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    case 'choice':
      return node.parts.map(widthOf).reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)]);
    case 'repeat': {
      const [least, most] = widthOf(node.of);
      return [least * node.min, most === 0 ? 0 : most * node.max];
    }
    case 'group':
      return widthOf(node.of);
    default:
      return [0, 0];
  }
}

/** Whether a node can match the empty text. */
export function isNullable(node: RegexNode): boolean {
  return widthOf(node)[0] === 0;
}
