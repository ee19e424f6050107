/** Conditions on whole runs: written by the author of a playbook, checked in rehearsals and simulations. */
import { type Located } from '../../../language/dsl/format';
import { type Template } from '../../../language/template';

/** `always`: after every decision; `at_end`: once; `per_iteration`: at the end, for every iteration of every loop. */
export const WHEN = ['always', 'at_end', 'per_iteration'] as const;
export type InvariantTime = (typeof WHEN)[number];

export interface Invariant {
  readonly when: InvariantTime;
  /** Unique among those of the same `when`; by default the expression. */
  readonly name: string;
  readonly at: Located;
  /** As written. */
  readonly source: string;
  readonly template: Template;
}

/** The first violation of an invariant. */
export interface Violation {
  readonly invariant: Invariant;
  /** Milliseconds since the start. */
  readonly at: number;
  /** Values that made it false, or why it could not be evaluated. */
  readonly why: readonly string[];
}

/** The names of invariants. */
export const NAMES: Readonly<Record<string, string>> = {
  status: '`running`, `paused`, …; at the end `completed`, `failed`, `cancelled` or `waiting`',
  ctx: 'the variables of the execution',
  workload: 'its inputs',
  result: 'its result; null before the end and after a failure',
  error: 'its error `{code, kind, message, step, task, …}`, or null',
  steps: 'names of the steps that started, in order',
  results: 'the last result of each step that ended, by step',
  calls:
    'every execution of a tool: `{id, step, task, kind, iteration, attempt, execution, idempotency_key, input, config, at, status, result, error, acted}`',
  events: 'canonical events: `{type, step, task, iteration, attempt, status, payload}`',
  elapsed: 'seconds since the start',
  iteration: 'of `per_iteration`: `{step, index, item, status, result, error, calls}`',
};
