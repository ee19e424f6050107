import { editDistance } from '../../template/suggest';
import { misspelt } from '../fixes/words';
import { type Remedy } from './diagnostic';

/** The candidate closest to a misspelt `name`, or undefined if none is close enough. */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined;
  const allowed = name.length <= 2 ? 0 : name.length <= 5 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = allowed + 1;
  const lower = name.toLowerCase();
  const folded = fold(name);
  const numbers = digits(name);
  const letters = lettersOf(name);
  for (const candidate of candidates) {
    if (candidate === name) continue;
    if (fold(candidate) === folded) return candidate;
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    if (digits(candidate) !== numbers || differing(letters, lettersOf(candidate)) > 2 * bestDistance - 2)
      continue;
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance - 1);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean …?`, or undefined. The fix is offered if nothing else is close. */
export function didYouMean(name: string, candidates: Iterable<string>): Remedy | undefined {
  const all = [...candidates];
  return suggestionOf(name, closest(name, all), all);
}

/** The same for a suggestion that is already known. */
export function suggestionOf(
  name: string,
  suggestion: string | undefined,
  candidates: readonly string[],
): Remedy | undefined {
  if (suggestion === undefined) return undefined;
  const isOnly = (): boolean =>
    fold(name) === fold(suggestion) ||
    closest(
      name,
      candidates.filter((each) => each !== suggestion),
    ) === undefined;
  return { hint: `did you mean \`${suggestion}\`?`, ...misspelt(name, suggestion, isOnly) };
}

/** `a, b or c`, each in backticks. */
export function oneOfText(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** `maxInFlight`, `max-in-flight` and `max_in_flight` count as the same name. */
function fold(name: string): string {
  const entry = folds.get(name);
  if (entry !== undefined) return entry;
  const folded = name.toLowerCase().replace(/[_\-\s]/g, '');
  if (folds.size < 2000) folds.set(name, folded);
  return folded;
}

/** Cached, because field names are compared repeatedly. */
const folds = new Map<string, string>();

/** The set of letters in a name, one bit each. */
function lettersOf(name: string): number {
  let letters = 0;
  // Other characters share bits: this makes names look more similar, never less.
  for (let i = 0; i < name.length; i += 1) letters |= 1 << (name.charCodeAt(i) & 31);
  return letters;
}

/** The number of letters in only one of two names. An edit changes at most two, so most pairs can be excluded. */
function differing(a: number, b: number): number {
  let count = 0;
  for (let bits = a ^ b; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}

/** `page1` is not a misspelling of `page2`. */
function digits(name: string): string {
  return /\d/.test(name) ? name.replace(/\D/g, '') : '';
}
