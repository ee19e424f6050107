import { compile, type Compiled } from '../compile';

/** The text before a rewrite, the one after it, and what they came from. */
const AT_HAND = 4;
const recent = new Map<string, Compiled>();

/** `compile(text)`, once for the texts at hand: rules, comparisons and notes ask about the same few again and again. */
export function compiled(text: string): Compiled {
  const found = recent.get(text) ?? compile(text);
  recent.delete(text);
  recent.set(text, found);
  for (const oldest of recent.keys()) {
    if (recent.size <= AT_HAND) break;
    recent.delete(oldest);
  }
  return found;
}
