import { type Meter } from '../values/meter';
import { compileRegex, type Instruction, type Program } from './compile';
import { fold, isWord, parseRegex, type Edge, type Flags } from './parse';

/** Positions are code points; a group that did not participate is -1. */
export type Slots = readonly number[];

/**
 * Regular expressions in Python's syntax. A custom matcher, because JavaScript's cannot be interrupted: a pattern
 * such as `(a+)+$` would hang the workflow. Every step is counted, so such a match ends with NT4201.
 */
export class Regex {
  readonly names: ReadonlyMap<string, number>;
  readonly groups: number;
  private readonly program: Program;
  private readonly ignoreCase: boolean;

  constructor(
    pattern: string,
    flags: Flags,
    private readonly meter: Meter,
  ) {
    const parsed = parseRegex(pattern, flags);
    meter.charge(pattern.length);
    this.names = parsed.names;
    this.groups = parsed.groups;
    this.program = compileRegex(parsed.root, parsed.groups);
    this.ignoreCase = flags.ignoreCase;
    meter.charge(this.program.code.length / 4);
  }

  /** The first match at or after `from`. */
  search(text: readonly number[], from: number): Slots | undefined {
    for (let start = from; start <= text.length; start++) {
      const slots = this.matchAt(text, start);
      if (slots) return slots;
    }
    return undefined;
  }

  /** A match that starts at `start`. */
  matchAt(text: readonly number[], start: number): Slots | undefined {
    this.meter.charge(0.5);
    const slots = new Array<number>(this.program.slots).fill(-1);
    slots[0] = start;
    const end = this.run(this.program, text, start, slots);
    if (end < 0) return undefined;
    slots[1] = end;
    return slots;
  }

  /** All matches in sequence; after an empty one the search advances by a character. */
  all(text: readonly number[]): Slots[] {
    const matches: Slots[] = [];
    let from = 0;
    while (from <= text.length) {
      const slots = this.search(text, from);
      if (!slots) break;
      matches.push(slots);
      this.meter.elements(1);
      const [start, end] = [slots[0]!, slots[1]!];
      from = end > start ? end : end + 1;
    }
    return matches;
  }

  /** Runs a program from `start`. Returns the end of the match, or -1. Backtracking uses an explicit stack. */
  private run(program: Program, text: readonly number[], start: number, slots: number[]): number {
    // Pending alternatives: pc, position; or, with a negative pc, a slot to restore when backtracking.
    const stack: number[] = [];
    let pc = 0;
    let at = start;
    for (;;) {
      this.meter.charge(0.25);
      const instruction = program.code[pc]!;
      if (instruction.op === 'match') return at;
      const next = this.step(instruction, text, at, slots, stack, pc);
      if (next >= 0) {
        at = next;
        pc =
          instruction.op === 'split'
            ? instruction.first
            : instruction.op === 'jump'
              ? instruction.to
              : pc + 1;
        continue;
      }
      for (;;) {
        if (stack.length === 0) return -1;
        at = stack.pop()!;
        pc = stack.pop()!;
        if (pc >= 0) break;
        slots[-pc - 1] = at;
      }
    }
  }

  /** The position after an instruction, or -1 if it fails. */
  private step(
    instruction: Instruction,
    text: readonly number[],
    at: number,
    slots: number[],
    stack: number[],
    pc: number,
  ): number {
    switch (instruction.op) {
      case 'char':
        return at < text.length && instruction.test(text[at]!) ? at + 1 : -1;
      case 'split':
        stack.push(instruction.second, at);
        return at;
      case 'save':
        stack.push(-instruction.slot - 1, slots[instruction.slot] ?? -1);
        slots[instruction.slot] = at;
        return at;
      case 'advanced':
        return slots[instruction.slot] === at ? -1 : at;
      case 'same':
        return this.sameAgain(text, at, slots, instruction.index);
      case 'edge':
        return atEdge(instruction.edge, text, at) ? at : -1;
      case 'look':
        return this.looks(instruction, text, at, slots) !== instruction.negated ? at : -1;
      default:
        return pc >= 0 ? at : -1;
    }
  }

  private sameAgain(text: readonly number[], at: number, slots: readonly number[], index: number): number {
    const [start, end] = [slots[2 * index] ?? -1, slots[2 * index + 1] ?? -1];
    if (start < 0 || end < 0 || at + end - start > text.length) return -1;
    for (let i = start; i < end; i++) {
      this.meter.charge(0.25);
      const [a, b] = [text[i]!, text[at + i - start]!];
      if (a !== b && !(this.ignoreCase && fold(a) === fold(b))) return -1;
    }
    return at + end - start;
  }

  private looks(
    { program, behind }: Extract<Instruction, { op: 'look' }>,
    text: readonly number[],
    at: number,
    slots: number[],
  ): boolean {
    if (!behind) return this.run(program, text, at, slots) >= 0;
    const before = text.slice(0, at);
    for (let start = at; start >= 0; start--) {
      if (this.run(program, before, start, slots) === at) return true;
    }
    return false;
  }
}

function atEdge(edge: Edge, text: readonly number[], at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length || (at === text.length - 1 && text[at] === 10);
    case 'lineStart':
      return at === 0 || text[at - 1] === 10;
    case 'lineEnd':
      return at === text.length || text[at] === 10;
    default: {
      const before = at > 0 && isWord(text[at - 1]!);
      const after = at < text.length && isWord(text[at]!);
      return (before !== after) === (edge === 'word');
    }
  }
}
