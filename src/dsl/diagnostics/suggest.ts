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

/** `did you mean …?`, or undefined. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const nearest = closest(name, candidates);
  return nearest === undefined ? undefined : `did you mean \`${nearest}\`?`;
}

/** `a, b or c`, each in backticks. */
export function oneOf(names: readonly string[]): string {
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

/** Optimal string alignment distance (a swap of adjacent characters is one edit), aborted above `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      }
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
