/** Static analysis of the inputs used by Python code, which are its variables (docs/tools/python.md). */

/** Names that give code access to every input, and dynamic look-ups. */
const GENERIC = /\b(context|input_data|inputs?|args|kwargs|globals|locals|vars|eval|exec|getattr)\b/;

/** False only for a name that does not occur in the code, if the code has no other access to inputs. */
export function readsName(code: string, name: string): boolean {
  return GENERIC.test(code) || /\bdef\s+main\b[^:]*\*\*/.test(code) || wordsOf(code).has(name);
}

/** The parameters of `main`. */
export function mainParameters(code: string): string[] {
  return parametersOf(code).flatMap((each) => /^\s*(\w+)/.exec(each)?.[1] ?? []);
}

/** Those without a default. */
export function neededParameters(code: string): string[] {
  return parametersOf(code).flatMap((each) => /^\s*(\w+)\s*(?::[^=]*)?$/.exec(each)?.[1] ?? []);
}

function parametersOf(code: string): string[] {
  return (/\bdef\s+main\s*\(([^)]*)\)/.exec(code)?.[1] ?? '').split(',');
}

function wordsOf(code: string): ReadonlySet<string> {
  return new Set(code.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
}
