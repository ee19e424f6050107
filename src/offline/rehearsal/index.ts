export { partOf, problemsOf } from './check/checks';
export { type Rehearsed } from './check/problem';
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
export { type Invariant, type Violation, readInvariants } from './invariants/read';
export { STATUS_OF_END, Watch } from './invariants/watch';
export { errorOutcome, type MockedKind, leastOutcome, mockedKind } from './mocks/kinds';
export { type Call, type MockedAnswer, MockedWorld } from './mocks/mocked-world';
export { isPassed, recordedEvent, rehearsalOfRun } from './record/from-run';
export { selectorName, starterRehearsal } from './record/starter';
export { jsonReport, type FileReport, totalsOf, diffText } from './report/report';
export { junitReport } from './report/junit';
export { element, xmlText } from './report/xml';
export { executes, rehearse, type RehearsalResult, runRehearsal, runRehearsalWith } from './run';
