/** How the results of a kind are written short in mocks: as the kind declares it. */
import { declarationOf, type JsonObject, type Outcome, type TaskCall } from '../../plan';
import { type Mock } from '../../kinds/declaration';
import { errorOutcome } from './errors';

/** The short forms of a kind, or undefined when it answers any value. */
export function mockedKind(kind: string): Mock | undefined {
  return declarationOf(kind)?.mock;
}

/** What the tool answers in these words, to a call that took so many simulated milliseconds. */
export function mockedOutcome(
  kind: string,
  mock: Mock,
  words: JsonObject,
  { config }: Pick<TaskCall, 'config'>,
  ms: number,
): Outcome {
  return mock.outcome(words, { config, ms, fail: (error, result) => errorOutcome(error, kind, result) });
}
