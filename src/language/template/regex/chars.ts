/** Sets of code points: what one character of a pattern matches, as in Python. */

/** Whether a code point matches. Its cost must not depend on the pattern: a step of the matcher has one price. */
export type CharTest = (point: number) => boolean;

/** A set of code points. Answers for ASCII are remembered. */
export class CharSet {
  /** 0: not asked yet, 1: not in the set, 2: in the set. */
  private readonly ascii = new Uint8Array(128);

  /** @param only the point, if the set has no other */
  constructor(
    private readonly test: CharTest,
    readonly only = -1,
  ) {}

  has(point: number): boolean {
    if (point >= 128) return this.test(point);
    const answer = this.ascii[point];
    return answer === 0 ? this.ask(point) : answer === 2;
  }

  private ask(point: number): boolean {
    const verdict = this.test(point);
    this.ascii[point] = verdict ? 2 : 1;
    return verdict;
  }
}

/** A function of code points that remembers its values, because asking V8 about one character takes 0.1 µs or more. */
function remembered(f: (point: number) => number): (point: number) => number {
  const pages: (Int32Array | undefined)[] = new Array<undefined>(0x1100).fill(undefined);
  return (point) => {
    const page = (pages[point >> 8] ??= new Int32Array(256).fill(-1));
    const value = page[point & 255]!;
    return value >= 0 ? value : (page[point & 255] = f(point));
  };
}

const [DIGIT, SPACE, WORD] = [1, 2, 4];

const classOf = remembered((point) => {
  const char = String.fromCodePoint(point);
  // Python's `str.isspace` knows separators of files and records, JavaScript a byte order mark.
  const isSpace = point === 0x85 || (point >= 0x1c && point <= 0x1f) || (point !== 0xfeff && /\s/.test(char));
  return (
    (/\p{Nd}/u.test(char) ? DIGIT : 0) +
    (isSpace ? SPACE : 0) +
    (point === 95 || /[\p{L}\p{N}]/u.test(char) ? WORD : 0)
  );
});

const ofClass = (bit: number, verdict: boolean): CharSet =>
  new CharSet((point) => ((classOf(point) & bit) !== 0) === verdict);

/** The classes `\d`, `\w` and `\s`, and their complements, by letter. */
export const classes: Readonly<Record<string, CharSet>> = {
  d: ofClass(DIGIT, true),
  D: ofClass(DIGIT, false),
  w: ofClass(WORD, true),
  W: ofClass(WORD, false),
  s: ofClass(SPACE, true),
  S: ofClass(SPACE, false),
};
export const anyChar = new CharSet(() => true);
export const notNewline = new CharSet((point) => point !== 10);

/** Letters that are equal in upper case, although that is several characters. */
const sameUpper: Readonly<Record<number, number>> = { 0x1fd3: 0x390, 0x1fe3: 0x3b0, 0xfb06: 0xfb05 };

const lowerOf = remembered((point) => String.fromCodePoint(point).toLowerCase().codePointAt(0)!);
const upperOf = remembered((point) => {
  const upper = String.fromCodePoint(point).toUpperCase();
  const first = upper.codePointAt(0)!;
  return upper.length === (first > 0xffff ? 2 : 1) ? first : point;
});

/** One code point for all that are equal if case is ignored: of `K`, `k` and the Kelvin sign it is `K`. */
const caseless = remembered((point) => {
  const lower = lowerOf(point);
  return sameUpper[lower] ?? upperOf(lower);
});

/** A code point and those that differ from it in case. */
function casesOf(point: number): number[] {
  const [lower, upper] = [lowerOf(point), upperOf(point)];
  return [point, lower, upper, lowerOf(upper), upperOf(lower)];
}

/** The set of one code point. */
export function oneChar(point: number, ignoreCase: boolean): CharSet {
  if (!ignoreCase) return new CharSet((c) => c === point, point);
  const key = caseless(point);
  return new CharSet((c) => caseless(c) === key);
}

/** What brackets hold. */
export interface Members {
  readonly ranges: (readonly [low: number, high: number])[];
  readonly sets: Set<CharSet>;
}

/** The set written in brackets. */
export function bracketed({ ranges, sets }: Members, negated: boolean, ignoreCase: boolean): CharSet {
  const singles = ranges.filter(([low, high]) => low === high).map(([low]) => low);
  const keys = rangesOf(singles.map((point) => [caseless(point), caseless(point)]));
  const points = rangesOf(ignoreCase ? ranges.filter(([low, high]) => low < high) : ranges);
  const classed = [...sets];
  const within: CharTest = ignoreCase
    ? (c) => keys(caseless(c)) || (points !== noRanges && casesOf(c).some(points))
    : points;
  return new CharSet((c) => (within(c) || classed.some((set) => set.has(c))) !== negated);
}

const noRanges: CharTest = () => false;

/** Membership in ranges, by binary search. */
function rangesOf(ranges: readonly (readonly number[])[]): CharTest {
  if (ranges.length === 0) return noRanges;
  const lows: number[] = [];
  const highs: number[] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0]! - b[0]!)) {
    const last = highs.length - 1;
    if (last >= 0 && low! <= highs[last]! + 1) highs[last] = Math.max(highs[last]!, high!);
    else {
      lows.push(low!);
      highs.push(high!);
    }
  }
  return (point) => {
    let [from, to] = [0, lows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (highs[middle]! < point) from = middle + 1;
      else to = middle;
    }
    return from < lows.length && lows[from]! <= point;
  };
}

/** The union of sets; at most eight, so that asking it has a bounded cost. */
export function union(sets: readonly CharSet[]): CharSet | undefined {
  if (sets.length === 0 || sets.length > 8) return undefined;
  return sets.length === 1 ? sets[0] : new CharSet((c) => sets.some((set) => set.has(c)));
}

/** Whether a code point is part of a word. */
export function isWord(point: number): boolean {
  return classes['w']!.has(point);
}
