/** What the activity of a lease is given, and what it answers: outcomes as history keeps them. */
import { type Outcome, packOutcome, type Plan, unpackOutcome, type WireOutcome } from '../plan';
import { type Input, type RunTask, type Trace } from './batch';
import { type State } from './state';

export interface LeaseInput {
  readonly plan: Plan;
  readonly state: State;
  readonly tasks: readonly RunTask[];
  /** Whose tasks run here. */
  readonly pool?: string;
}

/** A trace as history keeps it: the result of the activity, and the details of its heartbeats. */
export interface LeaseAnswer {
  readonly trace: readonly { readonly at: number; readonly inputs: readonly WireInput[] }[];
}

type TaskSettled = Extract<Input, { type: 'taskSettled' }>;
export type WireInput =
  Exclude<Input, TaskSettled> | { readonly task: string; readonly outcome: WireOutcome };

/** The input of a lease as history keeps it. */
export function packInput(input: Input): WireInput {
  if (input.type !== 'taskSettled') return input;
  return { task: input.taskRunId, outcome: packOutcome(input.outcome) };
}

/** @param outcomeOf what a packed outcome says */
export function unpackTrace(
  { trace }: LeaseAnswer,
  outcomeOf: (wire: WireOutcome) => Outcome = unpackOutcome,
): Trace {
  return trace.map(({ at, inputs }) => ({
    at,
    inputs: inputs.map((input) =>
      'task' in input
        ? { type: 'taskSettled', taskRunId: input.task, outcome: outcomeOf(input.outcome) }
        : input,
    ),
  }));
}
