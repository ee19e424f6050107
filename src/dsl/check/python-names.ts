/** What Python code takes of its inputs, as far as its text tells. It sees them as variables (docs/tools/python.md). */

/** Names by which code can reach every input, and what looks names up by itself. */
const GENERIC = /\b(context|input_data|inputs?|args|kwargs|globals|locals|vars|eval|exec|getattr)\b/;

/** False only for a name that stands nowhere in the code, which reaches no input otherwise. */
export function readsName(code: string, name: string): boolean {
  return GENERIC.test(code) || /\bdef\s+main\b[^:]*\*\*/.test(code) || wordsOf(code).has(name);
}

/** The parameters of `main`. */
export function mainParameters(code: string): string[] {
  const list = /\bdef\s+main\s*\(([^)]*)\)/.exec(code)?.[1] ?? '';
  return list.split(',').flatMap((each) => /^\s*(\w+)/.exec(each)?.[1] ?? []);
}

function wordsOf(code: string): ReadonlySet<string> {
  return new Set(code.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
}
