export { partOf } from './check/invariants';
export { problemsOf } from './check/checks';
export { type Rehearsed } from './check/rehearsed';
export { formatTime, parseTime } from './format/amounts';
export { type MockAnswer, readAnswer, readAnswers, wordsOfAnswer } from './format/answers';
export {
  AS_THEY_ARE,
  type RehearsedPlaybook,
  type ReadFile,
  readMessage,
  readRehearsals,
} from './format/read';
export { RehearsalReader, nodeText } from './format/reader';
export { type Rehearsal, type RehearsalStatus } from './format/rehearsal';
export { rehearsalSchema } from './format/schema';
export { type SelectedTask, placesOf, selects } from './format/selector';
export { HAPPENING, INVARIANTS } from './format/shapes';
export { type Invariant, type Violation } from './invariants/invariant';
export { readInvariants } from './invariants/read';
export { STATUS_OF_END, Watch } from './invariants/watch';
export { errorOutcome, type MockedKind } from './mocks/errors';
export { leastOutcome, mockedKind } from './mocks/kinds';
export {
  type Call,
  markCancelled,
  type MockedAnswer,
  MockedWorld,
  nth,
  type Usage,
  usagesOf,
} from './mocks/mocked-world';
export { recordedEvent, rehearsalOfRun } from './record/from-run';
export { selectorName, starterText } from './record/starter';
export { jsonReport } from './report/json';
export { junitReport } from './report/junit';
export { type FileReport, totalsOf } from './report/report';
export { diffText } from './report/text';
export { element, xmlText } from './report/xml';
export { rehearse, type RehearsalResult, runRehearsal } from './run';
