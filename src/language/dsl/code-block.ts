import { type Diagnostic, Findings } from './diagnostics/diagnostic';
import { type LineIndex } from './yaml/lines';
import { type ScalarNode } from './yaml/node';

/** Python code that is run without rendering, for callers with an interpreter: the compiler has none. */
export interface CodeBlock {
  readonly text: string;
  /** The diagnostic for a position in the code: line and column from 1, in characters. */
  problem(line: number, column: number, message: string): Diagnostic;
}

/** @param options of the compilation: the file name, and strictness */
export function codeBlock(
  node: ScalarNode,
  lines: LineIndex,
  options: ConstructorParameters<typeof Findings>[1],
): CodeBlock {
  const text = String(node.value);
  return {
    text,
    problem(line, column, message) {
      const [from, to] = placeIn(text, line, column);
      const findings = new Findings(lines, options);
      const start = node.offsetOf(from);
      const where = { start, end: Math.max(start + 1, node.offsetOf(to)), path: node.path };
      findings.add('NT4010', where, `Python cannot read this code: ${message.replace(/[.!]$/, '')}`);
      return findings.list()[0]!;
    },
  };
}

/** The word or character at a position; the end of a shorter line. */
function placeIn(text: string, line: number, column: number): [number, number] {
  const all = text.split('\n');
  const row = Math.min(Math.max(line, 1), all.length) - 1;
  const before = all.slice(0, row).reduce((sum, each) => sum + each.length + 1, 0);
  const at = [...all[row]!].slice(0, column - 1).join('').length;
  const word = /^(\w+|.)/u.exec(all[row]!.slice(at))?.[0] ?? '';
  return [before + at, before + at + word.length];
}
