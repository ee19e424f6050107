/** Answers of bounded size: long lists and texts are cut, and what was cut is said. */
import { isMapping } from '../../language/plan';

/** Of an answer, in characters, notes included. */
export const MOST_CHARACTERS = 25_000;
/** For the notes. */
const NOTES = 1_500;
const MOST_NOTES = 8;
/** From mild to harsh: characters of a text, entries of a list or mapping. */
const LEVELS: readonly (readonly [characters: number, entries: number])[] = [
  [12_000, 1_000],
  [4_000, 200],
  [1_500, 80],
  [600, 40],
  [250, 20],
  [120, 10],
  [60, 4],
];
/** Deeper values are shown as their beginning. */
const DEPTH = 24;

export interface BoundedAnswer {
  readonly text: string;
  /** What was cut, in words; empty if nothing was. */
  readonly cut: readonly string[];
}

/** @param rest how to get what was cut */
export function boundedAnswer(answer: unknown, rest?: string): BoundedAnswer {
  const whole = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
  if (whole.length <= MOST_CHARACTERS) return { text: whole, cut: [] };
  const how = rest === undefined ? [] : [`To get the rest: ${rest}`];
  const most = MOST_CHARACTERS - NOTES;
  if (typeof answer === 'string')
    return { text: head(answer, most), cut: [`${most} of ${answer.length} characters are shown`, ...how] };
  for (const level of LEVELS) {
    const cut: string[] = [];
    const text = JSON.stringify(shortened(answer, level, { cut, at: '', depth: 0 }));
    if (text.length > most) continue;
    const more = cut.length - MOST_NOTES;
    const notes = [...cut.slice(0, MOST_NOTES), ...(more > 0 ? [`and ${more} more places`] : [])];
    return { text, cut: [...notes.map((note) => head(note, 120)), ...how] };
  }
  return {
    text: head(whole, most),
    cut: [`${most} of ${whole.length} characters of JSON are shown`, ...how],
  };
}

/** Where in the answer, and what was cut so far. */
interface Cutting {
  readonly cut: string[];
  readonly at: string;
  readonly depth: number;
}

function shortened(value: unknown, level: readonly [number, number], cutting: Cutting): unknown {
  const [characters, entries] = level;
  const { cut, at, depth } = cutting;
  if (typeof value === 'string') {
    if (value.length <= characters) return value;
    cut.push(`${at || 'the text'}: ${characters} of ${value.length} characters`);
    return `${head(value, characters)}…`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH) return shortened(JSON.stringify(value), level, cutting);
  const below = (one: unknown, name: string): unknown =>
    shortened(one, level, { cut, at: at ? `${at}.${name}` : name, depth: depth + 1 });
  const all = Object.entries(value);
  if (all.length > entries) cut.push(`${at || 'the answer'}: ${entries} of ${all.length} entries`);
  const shown = all.slice(0, entries).map(([name, one]) => [name, below(one, name)] as const);
  return isMapping(value) ? Object.fromEntries(shown) : shown.map(([, one]) => one);
}

/** Without half of a character. */
function head(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
