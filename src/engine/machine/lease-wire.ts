/** Input and result of the lease activity: outcomes in the packed form that history keeps. */
import { type Outcome, packOutcome, type Plan, unpackOutcome, type WireOutcome } from '../../language/plan';
import { type Input, type RunTask, type Trace } from './batch';
import { type State } from './state';

export interface LeaseInput {
  readonly plan: Plan;
  readonly state: State;
  readonly tasks: readonly RunTask[];
  /** The worker pool whose tasks run here. */
  readonly pool?: string;
}

/** A trace as stored in history: the activity's result, and the details of its heartbeats. */
export interface LeaseAnswer {
  readonly trace: readonly { readonly at: number; readonly inputs: readonly WireInput[] }[];
}

type TaskSettled = Extract<Input, { type: 'taskSettled' }>;
export type WireInput =
  | Exclude<Input, TaskSettled>
  | { readonly task: string; readonly outcome: WireOutcome };

/** A lease's input as stored in history. */
export function packInput(input: Input): WireInput {
  if (input.type !== 'taskSettled') return input;
  return { task: input.taskRunId, outcome: packOutcome(input.outcome) };
}

/** @param outcomeOf unpacks an outcome */
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
