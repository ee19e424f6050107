import { TemplateError } from '../errors';
import { anyChar, union, type CharSet } from './chars';
import { isNullable, type RegexAnchor, type RegexNode } from './parse';

export type Op =
  /** A character of `set`. */
  | 'char'
  /** Tries `to`, and `other` if that leads nowhere. */
  | 'split'
  | 'jump'
  /** Stores the position in slot `to`. */
  | 'save'
  /** Leaves a loop for `other` if nothing was matched since the position in slot `to` was stored. */
  | 'advanced'
  | 'edge'
  /** From `min` to `max` characters of `set`: as many as possible, or as few as possible. */
  | 'greedy'
  | 'lazy'
  /** What follows, up to `looked`, must match here; the program continues at `to`. */
  | 'look'
  | 'looked'
  | 'match';

/** One shape for all instructions, because the matcher reads them in its innermost loop. */
export interface Instruction {
  readonly op: Op;
  readonly set: CharSet;
  to: number;
  other: number;
  readonly min: number;
  readonly max: number;
  /** Which of the matcher's memories of positions belongs to the instruction. */
  readonly column: number;
  /** Slots of the loops around it whose body can match nothing: how it goes on depends on whether they advanced. */
  readonly loops: readonly number[];
  readonly edge: RegexAnchor;
  readonly negated: boolean;
}

export interface Program {
  readonly code: readonly Instruction[];
  /** Slots of groups come first: two of each, starting with the whole match. */
  readonly slots: number;
  readonly columns: number;
  /** Every match begins with one of these; absent if it can begin with anything, or be empty. */
  readonly first: CharSet | undefined;
  /** Matches only at the beginning of the text. */
  readonly anchored: boolean;
}

/** More characters than a text has. */
export const UNBOUNDED = 0x7fffffff;
const maxInstructions = 20_000;
const blank: Omit<Instruction, 'op' | 'loops'> = {
  set: anyChar,
  to: 0,
  other: 0,
  min: 0,
  max: 0,
  column: 0,
  edge: 'start',
  negated: false,
};

/** Compiles a pattern's tree. Throws NT4113 if counted repetitions make it too large. */
export function compileRegex(root: RegexNode, groups: number): Program {
  return new Compiler(2 * (groups + 1)).program(root);
}

class Compiler {
  private readonly code: Instruction[] = [];
  private emitted = 0;
  private columns = 0;
  private loops: readonly number[] = [];

  constructor(private slots: number) {}

  program(root: RegexNode): Program {
    this.emit(root);
    this.push({ op: 'match' });
    const { code, slots, columns } = this;
    const start = code.find(({ op }) => op !== 'save')!;
    return {
      code,
      slots,
      columns,
      first: firstOf(code),
      anchored: start.op === 'edge' && start.edge === 'start',
    };
  }

  private push(given: Partial<Instruction> & { op: Op }): Instruction {
    if (this.code.length >= maxInstructions) throw tooLarge();
    const { op, set, to, other, min, max, column, edge, negated } = { ...blank, ...given };
    const { loops } = this;
    const instruction = { op, set, to, other, min, max, column, loops, edge, negated };
    this.code.push(instruction);
    return instruction;
  }

  private emit(node: RegexNode): void {
    // Counts visits as well as instructions: repetitions of an empty group emit none.
    if (++this.emitted > 4 * maxInstructions) throw tooLarge();
    switch (node.kind) {
      case 'char':
        this.push({ op: 'char', set: node.set });
        return;
      case 'sequence':
        for (const part of node.parts) this.emit(part);
        return;
      case 'choice':
        this.choice(node.parts);
        return;
      case 'repeat':
        this.repeat(node);
        return;
      case 'group':
        this.push({ op: 'save', to: 2 * node.index });
        this.emit(node.of);
        this.push({ op: 'save', to: 2 * node.index + 1 });
        return;
      case 'edge':
        this.push({ op: 'edge', edge: node.edge });
        return;
      case 'look':
        this.look(node);
    }
  }

  private split(): Instruction {
    return this.push({ op: 'split', column: this.columns++ });
  }

  private choice(parts: readonly RegexNode[]): void {
    const ends: Instruction[] = [];
    parts.forEach((part, i) => {
      if (i === parts.length - 1) {
        this.emit(part);
        return;
      }
      const split = this.split();
      split.to = this.code.length;
      this.emit(part);
      ends.push(this.push({ op: 'jump' }));
      split.other = this.code.length;
    });
    for (const end of ends) end.to = this.code.length;
  }

  private repeat({ of, min, max, lazy }: Extract<RegexNode, { kind: 'repeat' }>): void {
    if (of.kind === 'char') {
      const most = Math.min(max, UNBOUNDED);
      this.push({ op: lazy ? 'lazy' : 'greedy', set: of.set, min, max: most, column: this.columns++ });
      return;
    }
    for (let i = 0; i < min; i++) this.emit(of);
    const slot = isNullable(of) && max > min ? this.slots++ : undefined;
    const ways: Instruction[] = [];
    const start = this.code.length;
    for (let i = min; i < (max === Infinity ? min + 1 : max); i++) ways.push(...this.optional(of, slot));
    if (max === Infinity) this.push({ op: 'jump', to: start });
    const past = this.code.length;
    for (const way of ways) {
      way.other = past;
      if (lazy && way.op === 'split') [way.to, way.other] = [past, way.to];
    }
  }

  /** One more repetition, after which there is none if it matched nothing. Returns what leads past all of them. */
  private optional(of: RegexNode, slot: number | undefined): Instruction[] {
    const split = this.split();
    split.to = this.code.length;
    if (slot === undefined) {
      this.emit(of);
      return [split];
    }
    this.push({ op: 'save', to: slot });
    this.within([...this.loops, slot], of);
    return [split, this.push({ op: 'advanced', to: slot })];
  }

  private look({ of, behind, negated }: Extract<RegexNode, { kind: 'look' }>): void {
    const look = this.push({ op: 'look', min: behind ?? 0, negated });
    this.within([], of);
    this.push({ op: 'looked' });
    look.to = this.code.length;
  }

  private within(loops: readonly number[], node: RegexNode): void {
    const outer = this.loops;
    this.loops = loops;
    this.emit(node);
    this.loops = outer;
  }
}

function tooLarge(): TemplateError {
  return new TemplateError('wrongPattern', 'the pattern is too large: its counts multiply');
}

/** What a match can begin with. */
function firstOf(code: readonly Instruction[]): CharSet | undefined {
  const sets = new Set<CharSet>();
  const seen = new Set<number>();
  const pending = [0];
  while (pending.length > 0) {
    const pc = pending.pop()!;
    if (seen.has(pc)) continue;
    seen.add(pc);
    const { op, set, to, other, min } = code[pc]!;
    if (op === 'match') return undefined;
    if (op === 'char' || op === 'greedy' || op === 'lazy') {
      sets.add(set);
      if (op !== 'char' && min === 0) pending.push(pc + 1);
    } else if (op === 'split') pending.push(to, other);
    else if (op === 'look' || op === 'jump') pending.push(to);
    else if (op === 'advanced') pending.push(other, pc + 1);
    else pending.push(pc + 1);
  }
  return union([...sets]);
}
