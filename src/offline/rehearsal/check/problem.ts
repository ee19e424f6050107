/** A failed expectation of a rehearsal. */
import { dataOf, type Located, type YamlNode } from '../../../language/dsl/format';
import { excerpt, type Json, type SourcePosition } from '../../../language/plan';
import { type ValueDifference } from './compare';

export interface RehearsalProblem {
  /** The part of the rehearsal: `result`, `calls.fetch_page`, `mocks.fetch`. */
  readonly part: string;
  /** In the rehearsal file. */
  readonly at: Located;
  /** One line. */
  readonly message: string;
  /** More lines: expected and actual values. */
  readonly details: readonly string[];
  /** Position in the playbook, if relevant. */
  readonly playbookAt?: SourcePosition;
  readonly hint?: string;
}

/** Further lines of one problem are not helpful. */
const MAX_DETAILS = 20;

/** A problem made of an expectation's differences; none if there are none. */
export function differing(
  part: string,
  differences: readonly ValueDifference[],
  more: Pick<RehearsalProblem, 'playbookAt' | 'hint'> = {},
): RehearsalProblem[] {
  const first = differences[0];
  if (first === undefined) return [];
  const lines = differences.slice(0, MAX_DETAILS).map(lineOf);
  if (differences.length > MAX_DETAILS) lines.push(`… ${differences.length - MAX_DETAILS} more`);
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  return [{ part, at: first.at, message: count, details: lines, ...more }];
}

function lineOf({ path, expected, actual }: ValueDifference): string {
  if (expected === undefined) return `${path}: unexpected ${show(actual)}`;
  return `${path}: expected ${shown(expected)}, ${actual === undefined ? 'got nothing' : `got ${show(actual)}`}`;
}

function shown(node: YamlNode): string {
  return show(dataOf(node));
}

const LONGEST = 200;

/** Data on one line, truncated if long. */
export function show(value: Json | undefined): string {
  return excerpt(value, LONGEST);
}
