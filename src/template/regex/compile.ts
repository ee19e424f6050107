import { TemplateError } from '../errors';
import { type CharTest, type Edge, type Node } from './parse';

/** Instructions of the matching machine. */
export type Instruction =
  | { readonly op: 'char'; readonly test: CharTest }
  /** Tries `first`, and `second` if the continuation of `first` fails. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save'; readonly slot: number }
  /** Fails if nothing was matched since `save` of this slot: ends loops over possibly empty patterns. */
  | { readonly op: 'advanced'; readonly slot: number }
  | { readonly op: 'same'; readonly index: number }
  | { readonly op: 'edge'; readonly edge: Edge }
  | { readonly op: 'look'; readonly program: Program; readonly behind: boolean; readonly negated: boolean }
  | { readonly op: 'match' };

export interface Program {
  readonly code: readonly Instruction[];
  readonly slots: number;
}

const maxInstructions = 20_000;

/** Compiles a pattern's tree. Throws NT4112 if counted repetitions make it too large. */
export function compileRegex(root: Node, groups: number): Program {
  const compiler = new Compiler(2 * (groups + 1));
  return compiler.program(root);
}

class Compiler {
  private code: Instruction[] = [];
  private emitted = 0;

  constructor(private slots: number) {}

  program(root: Node): Program {
    this.emit(root);
    this.push({ op: 'match' });
    return { code: this.code, slots: this.slots };
  }

  private push<T extends Instruction>(instruction: T): T {
    if (this.code.length >= maxInstructions)
      throw new TemplateError('wrongValue', 'the pattern is too large');
    this.code.push(instruction);
    return instruction;
  }

  private emit(node: Node): void {
    // Counts visits as well as instructions: repetitions of an empty group emit none.
    if (++this.emitted > 4 * maxInstructions)
      throw new TemplateError('wrongValue', 'the pattern is too large');
    switch (node.kind) {
      case 'char':
        this.push({ op: 'char', test: node.test });
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
        this.push({ op: 'save', slot: 2 * node.index });
        this.emit(node.of);
        this.push({ op: 'save', slot: 2 * node.index + 1 });
        return;
      case 'same':
        this.push({ op: 'same', index: node.index });
        return;
      case 'edge':
        this.push({ op: 'edge', edge: node.edge });
        return;
      case 'look':
        this.look(node);
    }
  }

  private choice(parts: readonly Node[]): void {
    const ends: { to: number }[] = [];
    parts.forEach((part, i) => {
      if (i === parts.length - 1) {
        this.emit(part);
        return;
      }
      const split = this.push({ op: 'split', first: this.code.length + 1, second: 0 });
      this.emit(part);
      ends.push(this.push({ op: 'jump', to: 0 }));
      split.second = this.code.length;
    });
    for (const end of ends) end.to = this.code.length;
  }

  private repeat({ of, min, max, lazy }: Extract<Node, { kind: 'repeat' }>): void {
    for (let i = 0; i < min; i++) this.emit(of);
    if (max === Infinity) {
      const slot = this.slots++;
      const split = this.push({ op: 'split', first: 0, second: 0 });
      const start = this.code.length - 1;
      this.push({ op: 'save', slot });
      this.emit(of);
      this.push({ op: 'advanced', slot });
      this.push({ op: 'jump', to: start });
      this.direct(split, start + 1, this.code.length, lazy);
      return;
    }
    const splits: (readonly [{ first: number; second: number }, number])[] = [];
    for (let i = min; i < max; i++) {
      splits.push([this.push({ op: 'split', first: 0, second: 0 }), this.code.length] as const);
      this.emit(of);
    }
    for (const [split, inside] of splits) this.direct(split, inside, this.code.length, lazy);
  }

  private direct(split: { first: number; second: number }, into: number, past: number, lazy: boolean): void {
    [split.first, split.second] = lazy ? [past, into] : [into, past];
  }

  private look({ of, behind, negated }: Extract<Node, { kind: 'look' }>): void {
    const outer = this.code;
    this.code = [];
    this.emit(of);
    this.push({ op: 'match' });
    const program = { code: this.code, slots: this.slots };
    this.code = outer;
    this.push({ op: 'look', program, behind, negated });
  }
}
