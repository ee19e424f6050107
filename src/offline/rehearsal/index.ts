export { partOf } from './check/invariants';
export { problemsOf } from './check/checks';
export { type Rehearsed } from './check/rehearsed';
export { formatTime, parseTime } from './format/amounts';
export { type Answer, readAnswer, readAnswers, wordsOfAnswer } from './format/answers';
export { AS_THEY_ARE, type LoadedPlaybook, type ReadFile, readMessage, readRehearsals } from './format/read';
export { Reader, textOf } from './format/reader';
export { type Rehearsal, type Status } from './format/rehearsal';
export { rehearsalSchema } from './format/schema';
export { type Place, placesOf, selects } from './format/selector';
export { HAPPENING, INVARIANTS } from './format/shapes';
export { type Invariant, type Violation } from './invariants/invariant';
export { readInvariants } from './invariants/read';
export { ENDS, Watch } from './invariants/watch';
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
export { eventOf, rehearsalOfRun } from './record/from-run';
export { nameOf, starterText } from './record/starter';
export { jsonReport } from './report/json';
export { junitReport } from './report/junit';
export { type FileReport, totalsOf } from './report/report';
export { diffText } from './report/text';
export { element, escape } from './report/xml';
export { rehearse, type RehearsalResult, runRehearsal } from './run';
