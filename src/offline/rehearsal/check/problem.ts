/** A failed expectation of a rehearsal. */
import { dataOf, type Located, type YamlNode } from '../../../language/dsl/format';
import { excerpt, type Json, type SourcePosition, type Plan, isMapping } from '../../../language/plan';
import { type Rehearsal } from '../format/rehearsal';
import { type Watch } from '../invariants/watch';
import { type MockedWorld } from '../mocks/mocked-world';
import { type Simulated } from '../../drive';
import { listed } from '../../../language/template/runtime';

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

/** The result of a rehearsal's run, with which expectations are compared. */
export interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly plan: Plan;
  readonly run: Simulated;
  readonly world: MockedWorld;
  readonly watch: Watch;
}

export interface ValueDifference {
  /** `result.items[2].name` */
  readonly path: string;
  /** Of the expected value, or of the surrounding mapping or list if there is none. */
  readonly at: Located;
  /** Undefined: no value was expected here. */
  readonly expected: YamlNode | undefined;
  /** Undefined: no actual value. */
  readonly actual: Json | undefined;
}

/**
 * The differences. Without `exact` a mapping may have more keys than expected, at every depth; lists must have the
 * same length in any case. Numbers compare by value, the order of keys is irrelevant. The value of a loop may be
 * expected as the list of its results.
 */
export function differences(
  expected: YamlNode,
  actual: Json | undefined,
  exact: boolean,
  path: string,
): ValueDifference[] {
  const whole: ValueDifference = { path, at: expected, expected, actual };
  if (expected.kind === 'scalar') return expected.value === actual ? [] : [whole];
  if (expected.kind === 'list') {
    const list = listed(actual) as Json;
    if (!Array.isArray(list)) return [whole];
    const length = Math.max(expected.items.length, list.length);
    return Array.from({ length }, (_, i) => {
      const item = expected.items[i];
      const itemPath = `${path}[${i}]`;
      return item === undefined
        ? [{ path: itemPath, at: expected, expected: undefined, actual: list[i] }]
        : differences(item, list[i], exact, itemPath);
    }).flat();
  }
  if (!isMapping(actual)) return [whole];
  const own = actual as Record<string, Json>;
  const missing = expected.entries.flatMap(({ key, value, at }) => {
    const inner = child(path, key);
    return Object.hasOwn(own, key)
      ? differences(value, own[key], exact, inner)
      : [{ path: inner, at, expected: value, actual: undefined }];
  });
  const keys = new Set(expected.entries.map(({ key }) => key));
  const extra = exact ? Object.keys(own).filter((key) => !keys.has(key)) : [];
  return [
    ...missing,
    ...extra.map((key) => ({ path: child(path, key), at: expected, expected: undefined, actual: own[key] })),
  ];
}

function child(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
