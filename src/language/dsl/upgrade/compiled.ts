import { compile, type Compiled } from '../compile';

/** The texts before and after a rewrite, and their origins. */
const AT_HAND = 4;
const recent = new Map<string, Compiled>();

/** `compile(text)`, cached for recent texts: rules, comparisons and notes compile the same few repeatedly. */
export function compiled(text: string): Compiled {
  const result = recent.get(text) ?? compile(text);
  recent.delete(text);
  recent.set(text, result);
  for (const oldest of recent.keys()) {
    if (recent.size <= AT_HAND) break;
    recent.delete(oldest);
  }
  return result;
}
