/**
 * Kind × clause of what every tool owes its author: unknown or missing inputs, unreachable hosts, wrong credentials,
 * malformed responses, and values that JSON does not have end in a precise outcome, never in a lost task. Each cell is a
 * proof, or the reason why there is nothing to prove; what proofs expect was written from the documentation first.
 */
import { type ErrorKind, type Json, type JsonObject } from '../../src/language/plan';
import { type Fields } from '../faults/cell';

export const CLAUSES = [
  'an input that is missing',
  'a host that cannot be reached',
  'wrong credentials',
  'a malformed response',
  'bytes',
  'NaN',
  'a decimal',
  'a date',
  'a 64-bit integer',
] as const;

export type Clause = (typeof CLAUSES)[number];

export type Proof =
  /** Why the clause cannot apply to the kind. */
  | { readonly never: string }
  /** One of `faults` of the same kind. */
  | { readonly fault: string }
  /** A test elsewhere: its title stands in that file. */
  | { readonly shown: string; readonly in: string }
  /** What the compiler says of a tool with these fields alone. */
  | { readonly refused: JsonObject; readonly code: string }
  | {
      readonly fails: JsonObject | Fields;
      readonly as: { readonly kind: ErrorKind; readonly code: string; readonly retryable: boolean };
    }
  /** One task, or several one after the other, and what the last one answers, as JSON. */
  | { readonly gives: JsonObject | Fields | readonly Step[]; readonly result: Json };

export type Step = readonly [kind: string, fields: JsonObject | Fields];

export interface ClauseRow {
  /** Fields that compile without a word; with one more that nobody knows the compiler says so, and where. */
  readonly fields: JsonObject;
  /** Why the compiler does not. */
  readonly open?: string;
  readonly proofs: Readonly<Record<Clause, Proof>>;
}

type Values = Pick<ClauseRow['proofs'], 'bytes' | 'NaN' | 'a decimal' | 'a date' | 'a 64-bit integer'>;

/** The same proof for each sort of value. */
export const values = (proof: Proof): Values => ({
  bytes: proof,
  NaN: proof,
  'a decimal': proof,
  'a date': proof,
  'a 64-bit integer': proof,
});

export const NO_PROTOCOL: Proof = {
  shown: 'a server that speaks no protocol is a lost connection',
  in: 'activities/faults.test.ts',
};

/** What `select <expression> as v` answers; `name` is what the database makes of `v`. */
export const select =
  (more: Fields, name: string) =>
  (expression: string, v: Json): Proof => ({
    gives: (on) => ({ query: `select ${expression} as v`, ...more(on) }),
    result: { rows: [{ [name]: v }], row_count: 1 },
  });
