/** How the results of a kind are written short in mocks: as the kind declares it. */
import { toolKind, type ToolKinds } from '../../dsl/kinds';
import { type Mock } from '../../kinds/declaration';
import { type JsonObject, type Outcome, type TaskCall } from '../../plan';
import { errorOutcome, type MockedKind } from './errors';

/** A kind of this runtime, or of an extension module. */
export function mockedKind(name: string, extensions: ToolKinds): MockedKind {
  return { name, mock: toolKind(name, extensions)?.mock };
}

/** What the tool answers in the words of its `mock`, to a call that took so many simulated milliseconds. */
export function mockedOutcome(
  kind: MockedKind,
  mock: Mock,
  words: JsonObject,
  { config }: Pick<TaskCall, 'config'>,
  ms: number,
): Outcome {
  return mock.outcome(words, { config, ms, fail: (error, result) => errorOutcome(error, kind, result) });
}
