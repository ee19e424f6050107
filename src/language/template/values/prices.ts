/**
 * What the operations of templates cost, in units of work. A charge is the product of a price and a size of an operand:
 * characters (UTF-16 units), elements, keys. It is never a number of steps that V8 or ICU take inside a function of
 * theirs, since that differs between versions of Node.
 *
 * Prices are part of the replay contract, because a batch of the engine ends where their sum passes its budget: a change
 * needs an engine version (docs/design/history.md).
 */
export interface Prices {
  readonly [name: string]: number;
}

export const PRICES = {
  // Evaluation
  expression: 1,
  statement: 1,
  iteration: 3,
  condition: 1,
  call: 1,
  /** Of the text that a filter, test or method is applied to, including what a pattern is searched in. */
  subjectChar: 1 / 32,
  /** Of a text of which a character or an attribute is asked. */
  indexedChar: 1 / 12,
  /** Of a text that is compared, or searched for another. */
  comparedChar: 1 / 64,
  /** Of two texts of one length, which V8 compares. */
  equalChar: 1 / 512,

  // What an evaluation builds
  producedChar: 1 / 64,
  element: 1,
  dictKey: 2,

  // Comparison
  comparedElement: 4,
  comparedDict: 8,
  comparedKey: 3,
  orderedElement: 1,
  searchedElement: 1,
  /** Of each of n elements, times the logarithm of n. */
  sortedElement: 3,
  /** Of the keys by which elements are sorted, times the logarithm of their number. */
  sortedChar: 1 / 24,
  sortedPart: 6,

  // Text of values, JSON
  textPart: 6,
  textPartChar: 1 / 64,
  jsonPart: 6,
  parsedChar: 1 / 64,
  parsedValue: 1,

  // Text
  slicedChar: 1 / 4,
  titleChar: 1 / 2,
  /** Of a text that is cut at others, or searched for them. */
  partedChar: 1 / 32,
  classifiedChar: 1 / 32,
  /** Of a text that is read as an integer. */
  digit: 1,
  indentedChar: 1 / 2,
  wordChar: 1 / 2,
  wrappedLine: 2,
  wrappedChunk: 1,
  wrappedChunkChar: 1 / 4,
  directive: 1,
  strippedTagChar: 1 / 16,
  urlizedChar: 1 / 4,

  // Numbers, dates
  bigInteger: 64,
  /** Of the text of an integer beyond 2^53 that is compared as a number. */
  integerChar: 1 / 16,
  date: 16,
  dateChar: 1 / 2,
  /** A moment in a zone. */
  zone: 64,

  // Encodings
  encodedChar: 1,
  decodedChar: 1,
  hashedChar: 1,
  sha512Char: 4,

  // Lists
  visitedElement: 1,

  // Patterns
  patternChar: 4,
  patternInstruction: 1,
  search: 3,
  /** A quarter of an instruction. */
  patternWork: 1 / 128,
  /** Of a match or a group that is kept. */
  foundPart: 1 / 4,
  /** Of the memory that a search takes. */
  patternByte: 1 / 64,
} as const satisfies Prices;

/** A table of prices for all operations. */
export type PriceTable = { readonly [Operation in keyof typeof PRICES]: number };
