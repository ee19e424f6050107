/** The short form of a kind's results in mocks, from the kind's declaration. */
import { toolKind, type ToolKinds } from '../../../language/dsl/kinds';
import { type KindMock } from '../../../language/kinds/declaration';
import { type JsonObject, okOutcome, type Outcome, type TaskCall } from '../../../language/plan';
import { errorOutcome, type MockedKind } from './errors';

/** A built-in kind, or one of an extension module. */
export function mockedKind(name: string, extensions: ToolKinds): MockedKind {
  const { mock, failures } = toolKind(name, extensions) ?? {};
  return { name, mock, failures };
}

/** The outcome of a call that got the least its kind can answer, after milliseconds. */
export function leastOutcome(kind: MockedKind, call: Pick<TaskCall, 'config'>, ms: number): Outcome {
  const { mock } = kind;
  return mock ? mockedOutcome(kind, mock, mock.least, call, ms) : okOutcome({});
}

/** The outcome for a short form, given the call and its simulated duration in milliseconds. */
export function mockedOutcome(
  kind: MockedKind,
  mock: KindMock,
  words: JsonObject,
  { config }: Pick<TaskCall, 'config'>,
  ms: number,
): Outcome {
  return mock.outcome(words, { config, ms, fail: (error, result) => errorOutcome(error, kind, result) });
}
