/** Assumptions of a path about unknown values, and whether they are consistent. */
import { type Expr } from '../../../language/template/ir';
import { truthOfCondition, evaluate } from '../../../language/template/runtime';
import { isNamed, type Unknown } from './unknown';
import { objectsIn } from '../../../language/plan';

/** A question about one unknown value, as JSON of an `Unknown`, and its answer. */
export type GuardFacts = readonly (readonly [question: string, answer: boolean])[];

/** Strings that no playbook compares with. */
const OTHER = 'other';

/**
 * A value that satisfies all these answers; undefined if none was found, in which case the answers are treated as
 * contradictory.
 *
 * @param preferred values to try first
 */
export function witness(
  facts: GuardFacts,
  of: string,
  preferred: readonly unknown[] = [],
): { readonly value: unknown } | undefined {
  const name = `{"of":${JSON.stringify(of)}`;
  const about = facts.filter(([question]) => question.startsWith(name));
  const key = JSON.stringify([about, preferred]);
  if (!cache.has(key)) {
    if (cache.size >= MAX_KNOWN) cache.clear();
    cache.set(key, search(about, of, preferred));
  }
  return cache.get(key);
}

/** Memoized, because consistency is checked in every state. */
const cache = new Map<string, { readonly value: unknown } | undefined>();
const MAX_KNOWN = 10_000;

function search(
  facts: GuardFacts,
  of: string,
  preferred: readonly unknown[],
): { readonly value: unknown } | undefined {
  const own = facts
    .map(([question, answer]) => [JSON.parse(question) as Unknown, answer] as const)
    .filter(([about]) => about.of === of);
  const constants = own.flatMap(([{ by }]) => (by ? constantsIn(by) : []));
  const declared = own.find(([about]) => about.in)?.[0].in;
  for (const value of declared ?? [...preferred, ...candidates(constants)])
    if (own.every(([about, answer]) => answerFor(about, value) === answer)) return { value };
  return undefined;
}

function answerFor({ by }: Unknown, value: unknown): boolean | undefined {
  if (!by) return truthOfCondition(value);
  try {
    const scope = { lookup: (name: string) => (name === '$' ? value : undefined) };
    return truthOfCondition(evaluate({ kind: 'expression', source: '', expr: by }, scope));
  } catch {
    return undefined;
  }
}

function constantsIn(expr: Expr): unknown[] {
  const isConstant = ({ op }: { readonly op?: unknown }): boolean => op === 'lit' || op === 'float';
  return [...objectsIn(expr, isConstant)].filter(isConstant).map(({ v }) => v);
}

/** Small values first; then those around the constants that questions compare with. */
function* candidates(constants: readonly unknown[]): Generator {
  yield* [undefined, null, true, false, OTHER, 1, 0, '', [], {}];
  const numbers = [...new Set(constants.filter((one) => typeof one === 'number'))].sort((a, b) => a - b);
  for (const [index, number] of numbers.entries()) {
    yield* [number, number - 1, number + 1];
    const next = numbers[index + 1];
    if (next !== undefined) yield (number + next) / 2;
  }
  const texts = constants.filter((one) => typeof one === 'string');
  for (const text of texts) yield* [text, [text], text + OTHER, OTHER + text, text + OTHER + text];
  for (let length = 1; length <= 12; length++) yield Array.from({ length }, () => ({}));
  for (const one of numbers) {
    yield String(one);
    if (one > 0 && one <= 10_000)
      yield* [Array.from({ length: one }, () => 1), Array.from({ length: one + 1 }, () => 1)];
  }
  yield* [-1, 1000, 1e9, -1e9, 0.5, '1', [1, 2], { a: 1 }, '2024-01-01T00:00:00Z', texts];
}

/**
 * The candidates are near constants: of a calculation (`n * n == 1764`), or of what a pattern finds in a text, they prove
 * nothing if none of them fits.
 */
function isUnsearched({ of, by }: Unknown, fact: GuardFacts[number]): boolean {
  return by !== undefined && calculates(by) && witness([fact], of) === undefined;
}

const CALCULATIONS = new Set(['bin', 'concat', 'call', 'method', 'item', 'slice']);
/** Filters and tests whose answers change at the candidates, or at the constants beside them. */
const SEARCHED = new Set(
  (
    'abs bool capitalize count d default first float int last length list lower round string title trim upper ' +
    'boolean defined divisibleby even false in integer iterable mapping none null number odd sequence true undefined ' +
    'eq equalto ne lt le gt ge sameas'
  ).split(' '),
);

function calculates(expr: unknown): boolean {
  return [...objectsIn(expr)].some(
    ({ op, n }) =>
      CALCULATIONS.has(String(op)) || ((op === 'filter' || op === 'test') && !SEARCHED.has(String(n))),
  );
}

/** Answers to the open conditions of a batch: known ones, and new ones in the order in which they arose. */
export class Choices {
  /** The answers chosen in this batch. */
  readonly answers: boolean[] = [];
  /** All assumptions, including those of this batch. */
  facts: GuardFacts;

  /** @param planned the first answers, from an earlier run of the same batch */
  constructor(
    facts: GuardFacts,
    private readonly planned: readonly boolean[],
  ) {
    this.facts = facts;
  }

  /** Whether the condition holds for this value. */
  decide(about: Unknown): boolean {
    const { by } = about;
    if (by?.op === 'not') {
      const { by: _, ...whole } = about;
      return !this.decide(by.e.op === 'name' ? whole : { ...about, by: by.e });
    }
    if (!isNamed(about)) return this.choose(true);
    const question = JSON.stringify(about);
    const fact = this.facts.find(([subject]) => subject === question);
    if (fact) return fact[1];
    const may = (answer: boolean): boolean =>
      this.isPossible(about, [...this.facts, [question, answer]]) || isUnsearched(about, [question, answer]);
    const [yes, no] = [may(true), may(false)];
    const answer = yes === no ? this.choose(true) : yes;
    this.facts = [...this.facts, [question, answer]];
    return answer;
  }

  /** One of two branches. */
  choose(first: boolean): boolean {
    const answer = this.planned[this.answers.length] ?? first;
    this.answers.push(answer);
    return answer;
  }

  private isPossible(about: Unknown, facts: GuardFacts): boolean {
    return about.of.startsWith('(') || witness(facts, about.of) !== undefined;
  }
}
