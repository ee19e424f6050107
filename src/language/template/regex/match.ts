import { type Meter } from '../values/meter';
import { compileRegex, UNBOUNDED, type Instruction, type Program } from './compile';
import { isWord, type CharSet } from './chars';
import { parseRegex, type RegexAnchor, type RegexFlags } from './parse';

/** Positions in UTF-16 units: start and end of the match, then of each group; -1 for a group that took no part. */
export type MatchSlots = readonly number[];

/** A regular expression in Python's syntax. */
export class Regex {
  readonly names: ReadonlyMap<string, number>;
  readonly groups: number;
  private readonly program: Program;

  /** @throws TemplateError NT4113 for a pattern that is wrong or not supported */
  constructor(
    pattern: string,
    flags: RegexFlags,
    private readonly meter: Meter,
  ) {
    meter.charge(meter.prices.patternChar * pattern.length);
    const parsed = parseRegex(pattern, flags);
    this.names = parsed.names;
    this.groups = parsed.groups;
    this.program = compileRegex(parsed.root, parsed.groups);
    meter.charge(meter.prices.patternInstruction * this.program.code.length);
  }

  /** The first match. */
  search(text: string): MatchSlots | undefined {
    return this.matcher(text).search(0, -1);
  }

  /** A match at the beginning. */
  match(text: string): MatchSlots | undefined {
    const matcher = this.matcher(text);
    const slots = matcher.matchAt(0, -1);
    matcher.settle();
    return slots;
  }

  /** Visits up to `most` matches, one after the other; an empty one may follow a match, but not an empty one. */
  each(text: string, most: number, visit: (slots: MatchSlots) => void): void {
    const matcher = this.matcher(text);
    let [from, barred] = [0, -1];
    for (let count = 0; count < most; count++) {
      const slots = matcher.search(from, barred);
      if (!slots) return;
      visit(slots);
      from = slots[1]!;
      barred = slots[0] === from ? from : -1;
    }
  }

  private matcher(text: string): Matcher {
    return new Matcher(this.program, text, 2 * (this.groups + 1), this.meter);
  }
}

/** Work of an instruction; that of a character of a repetition is 1. */
const STEP = 4;
/** Work that is done before the memory of positions is worth its cost. */
const FORGETFUL = 512;
/** How much work is charged at once. */
const PORTION = 4096;

/**
 * Searches one text. A custom matcher, because JavaScript's cannot be interrupted, and because it backtracks without end
 * on a pattern such as `(a+)+$`.
 *
 * It also backtracks, so that it finds the same match and the same groups as Python's, but goes on from an instruction
 * and a position only once: what did not lead to a match the first time never will, because neither groups nor earlier
 * positions are asked about. That holds for all starts of a search and for all searches in the text; only the places on
 * the way to a match are forgotten when it is found, if they could be met again.
 */
class Matcher {
  private readonly slots: number[];
  /** Where instructions have been tried, by column: a bit per position. */
  private readonly columns: (Int32Array | undefined)[];
  /** What remains to be tried, as triples: a pc, a position, a bound; or, if negative, a slot and its former value. */
  private stack = new Int32Array(48);
  private depth = 0;
  private pc = 0;
  /** A position at which an empty match is not wanted. */
  private barred = -1;
  /** Columns and positions that were set inside the current look. */
  private readonly trail: number[] = [];
  private looking = 0;
  private work = 0;
  private settled = 0;

  constructor(
    private readonly program: Program,
    private readonly text: string,
    private readonly groupSlots: number,
    private readonly meter: Meter,
  ) {
    this.slots = new Array<number>(program.slots).fill(-1);
    this.columns = new Array<undefined>(program.columns).fill(undefined);
  }

  /** The first match at or after `from` that is not empty at `barred`. */
  search(from: number, barred: number): MatchSlots | undefined {
    const { length } = this.text;
    const { first, anchored } = this.program;
    let start = from;
    while (start <= length) {
      if (first) {
        start = this.skip(start);
        if (start >= length) break;
      }
      const slots = this.matchAt(start, barred);
      if (slots) return slots;
      if (anchored) break;
      start = this.after(start);
    }
    this.settle();
    return undefined;
  }

  matchAt(start: number, barred: number): MatchSlots | undefined {
    this.barred = barred;
    this.work += STEP;
    const end = this.run(0, start);
    if (end < 0) {
      if (this.work - this.settled >= PORTION) this.settle();
      return undefined;
    }
    const slots = this.slots.slice(0, this.groupSlots);
    slots[0] = start;
    slots[1] = end;
    this.slots.fill(-1);
    this.depth = 0;
    this.forget(end);
    this.work += 8 * STEP + this.columns.length + this.slots.length;
    this.settle();
    return slots;
  }

  /** Charges the work done so far. */
  settle(): void {
    const { meter, work, settled } = this;
    this.settled = work;
    meter.charge((work - settled) * meter.prices.patternWork);
  }

  /** The first position from `start` on at which a match can begin. */
  private skip(start: number): number {
    const { text } = this;
    const first = this.program.first!;
    let at = start;
    while (at < text.length && !first.has(this.pointAt(at))) at = this.after(at);
    this.work += at - start;
    return at;
  }

  private pointAt(at: number): number {
    const unit = this.text.charCodeAt(at);
    if (unit >= 128) this.work += STEP;
    return (unit & 0xfc00) === 0xd800 ? this.text.codePointAt(at)! : unit;
  }

  private after(at: number): number {
    if (at >= this.text.length) return at + 1;
    return (
      at + ((this.text.charCodeAt(at) & 0xfc00) === 0xd800 && this.text.codePointAt(at)! > 0xffff ? 2 : 1)
    );
  }

  private before(at: number): number {
    const isLow = at > 1 && (this.text.charCodeAt(at - 1) & 0xfc00) === 0xdc00;
    return at - (isLow && (this.text.charCodeAt(at - 2) & 0xfc00) === 0xd800 ? 2 : 1);
  }

  /** Runs the program from `pc` on. Returns the position where it ends, or -1. */
  private run(pc: number, at: number): number {
    const { code } = this.program;
    const base = this.depth;
    let here = at;
    this.pc = pc;
    for (;;) {
      const instruction = code[this.pc]!;
      if ((this.work += STEP) - this.settled >= PORTION) this.settle();
      if (instruction.op === 'looked') return here;
      if (instruction.op === 'match' && here !== this.barred) return here;
      here = this.step(instruction, here);
      if (here < 0) here = this.resume(base);
      if (here < 0) return -1;
    }
  }

  /** Sets the next pc. Returns the position after the instruction, or -1 if it fails. */
  private step(instruction: Instruction, at: number): number {
    const { op } = instruction;
    switch (op) {
      case 'char':
        if (at >= this.text.length || !instruction.set.has(this.pointAt(at))) return -1;
        this.pc++;
        return this.after(at);
      case 'split':
        if (this.isKnown(instruction, at)) return -1;
        this.push(this.pc, at, 0);
        this.pc = instruction.to;
        return at;
      case 'jump':
        this.pc = instruction.to;
        return at;
      case 'save':
        this.push(-instruction.to - 1, this.slots[instruction.to]!, 0);
        this.slots[instruction.to] = at;
        this.pc++;
        return at;
      case 'advanced':
        this.pc = this.slots[instruction.to] === at ? instruction.other : this.pc + 1;
        return at;
      case 'edge':
        this.pc++;
        return atEdge(instruction.edge, this.text, at) ? at : -1;
      case 'look':
        return this.look(instruction, at);
      case 'greedy':
      case 'lazy':
        return this.repeat(instruction, at);
      default:
        return -1;
    }
  }

  /** Takes up what is to be tried next. Returns its position, or -1 if nothing is left above `base`. */
  private resume(base: number): number {
    const { code } = this.program;
    while (this.depth > base) {
      this.depth -= 3;
      this.work += STEP;
      const [pc, at] = [this.stack[this.depth]!, this.stack[this.depth + 1]!];
      if (pc < 0) {
        this.slots[-pc - 1] = at;
        continue;
      }
      const instruction = code[pc]!;
      this.pc = pc;
      if (instruction.op === 'split') {
        this.pc = instruction.other;
        return at;
      }
      const bound = this.stack[this.depth + 2]!;
      const next =
        instruction.op === 'greedy'
          ? this.shorter(instruction, at, bound)
          : this.longer(instruction, at, bound);
      if (next >= 0) return next;
    }
    return -1;
  }

  private push(pc: number, at: number, bound: number): void {
    if (this.depth + 3 > this.stack.length) {
      this.meter.charge(this.stack.length * 4 * this.meter.prices.patternByte);
      const larger = new Int32Array(this.stack.length * 2);
      larger.set(this.stack);
      this.stack = larger;
    }
    this.stack[this.depth++] = pc;
    this.stack[this.depth++] = at;
    this.stack[this.depth++] = bound;
  }

  /** Repeats a character as often as it must be, and then as often as it may, or not at all. */
  private repeat(instruction: Instruction, at: number): number {
    const { set, min, max, op } = instruction;
    const least = this.span(set, at, min);
    if (least < 0) return -1;
    if (op === 'greedy') return this.greedy(instruction, least);
    if (max > min) return this.lazy(instruction, least, max - min);
    this.pc++;
    return least;
  }

  /** The position after `count` characters of a set, or -1. */
  private span(set: CharSet, at: number, count: number): number {
    let here = at;
    for (let i = 0; i < count; i++) {
      if (here >= this.text.length || !set.has(this.pointAt(here))) return -1;
      here = this.after(here);
    }
    this.work += count;
    return here;
  }

  private greedy(instruction: Instruction, least: number): number {
    const { set, min, max } = instruction;
    const { length } = this.text;
    const isBounded = max !== UNBOUNDED;
    if (!isBounded && this.isKnown(instruction, least)) return -1;
    let end = least;
    for (let left = max - min; left > 0 && end < length && set.has(this.pointAt(end)); left--) {
      const next = this.after(end);
      // From here on, all lengths have been tried.
      if (!isBounded && this.isKnown(instruction, next)) break;
      end = next;
    }
    this.work += end - least;
    return this.tail(instruction, end, least);
  }

  /** Continues after a repetition that ends at `end`, or earlier, but not before `least`. */
  private tail(instruction: Instruction, end: number, least: number): number {
    const { min, max } = instruction;
    const next = this.program.code[this.pc + 1]!;
    const isBounded = max !== UNBOUNDED && max > min;
    for (let at = end; at >= least; at = this.before(at)) {
      this.work++;
      if (next.op === 'char' && !(at < this.text.length && next.set.has(this.pointAt(at)))) continue;
      if (isBounded && this.isKnown(instruction, at)) continue;
      if (at > least) this.push(this.pc, at, least);
      this.pc++;
      return at;
    }
    return -1;
  }

  private shorter(instruction: Instruction, at: number, least: number): number {
    return this.tail(instruction, this.before(at), least);
  }

  /** Continues after a repetition that ends at `end`, or later, after at most `left` more characters. */
  private lazy(instruction: Instruction, end: number, left: number): number {
    const { set, max } = instruction;
    for (let [at, rest] = [end, left]; ; rest--) {
      if (!this.isKnown(instruction, at)) {
        if (rest > 0) this.push(this.pc, at, rest);
        this.pc++;
        return at;
      }
      if (max === UNBOUNDED || rest === 0) return -1;
      at = this.span(set, at, 1);
      if (at < 0) return -1;
    }
  }

  private longer(instruction: Instruction, at: number, left: number): number {
    const next = this.span(instruction.set, at, 1);
    return next < 0 ? -1 : this.lazy(instruction, next, left - 1);
  }

  private look({ to, min, negated }: Instruction, at: number): number {
    const inside = this.pc + 1;
    const [base, mark] = [this.depth, this.trail.length];
    let start = at;
    for (let i = 0; i < min; i++) start = start > 0 ? this.before(start) : -1;
    this.work += min;
    this.looking++;
    const isFound = start >= 0 && this.run(inside, start) >= 0;
    this.looking--;
    if (isFound) this.succeed(base, mark, negated);
    else if (this.looking === 0) this.trail.length = 0;
    if (isFound === negated) return -1;
    this.pc = to;
    return at;
  }

  /** After a look whose pattern was found: nothing else in it is tried, and its places lead to a match. */
  private succeed(base: number, mark: number, negated: boolean): void {
    while (this.trail.length > mark) {
      const key = this.trail.pop()!;
      this.clear(this.columns[key % this.columns.length], Math.floor(key / this.columns.length));
    }
    if (negated) {
      // Nothing but slots: a look that must fail captures nothing.
      for (; this.depth > base; this.depth -= 3) {
        const slot = this.stack[this.depth - 3]!;
        if (slot < 0) this.slots[-slot - 1] = this.stack[this.depth - 2]!;
      }
      return;
    }
    let kept = base;
    for (let i = base; i < this.depth; i += 3) {
      if (this.stack[i]! >= 0) continue;
      this.stack.copyWithin(kept, i, i + 3);
      kept += 3;
    }
    this.depth = kept;
  }

  /** Whether an instruction has been tried at a position; from now on, it has. */
  private isKnown({ column, loops }: Instruction, at: number): boolean {
    if (this.work < FORGETFUL) return false;
    // While a loop has not advanced, less is tried than otherwise.
    for (const slot of loops) if (this.slots[slot] === at) return false;
    const bits = this.columns[column] ?? this.remember(column);
    const bit = 1 << (at & 31);
    if ((bits[at >> 5]! & bit) !== 0) return true;
    bits[at >> 5]! |= bit;
    if (this.looking > 0) {
      this.trail.push(at * this.columns.length + column);
      this.work += STEP;
    }
    return false;
  }

  private remember(column: number): Int32Array {
    const words = (this.text.length >> 5) + 1;
    this.meter.charge(4 * words * this.meter.prices.patternByte);
    return (this.columns[column] = new Int32Array(words));
  }

  /** Forgets what was tried at a position. */
  private forget(at: number): void {
    for (const bits of this.columns) this.clear(bits, at);
  }

  private clear(bits: Int32Array | undefined, at: number): void {
    if (bits) bits[at >> 5]! &= ~(1 << (at & 31));
  }
}

function atEdge(edge: RegexAnchor, text: string, at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'beforeEnd':
      return at === text.length || (at === text.length - 1 && text.charCodeAt(at) === 10);
    case 'lineStart':
      return at === 0 || text.charCodeAt(at - 1) === 10;
    case 'lineEnd':
      return at === text.length || text.charCodeAt(at) === 10;
    default: {
      // Python finds neither edge in an empty text.
      const isEdge = wordBefore(text, at) !== wordAt(text, at);
      return text !== '' && isEdge === (edge === 'word');
    }
  }
}

function wordBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const pair = at > 1 ? text.codePointAt(at - 2)! : 0;
  return isWord(pair > 0xffff ? pair : text.charCodeAt(at - 1));
}

function wordAt(text: string, at: number): boolean {
  return at < text.length && isWord(text.codePointAt(at)!);
}
