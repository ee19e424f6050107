export { formatTime } from './format/amounts';
export { type LoadedPlaybook, type ReadFile, readRehearsals } from './format/read';
export { type Rehearsal, type RehearsalFile } from './format/rehearsal';
export { rehearsalSchema } from './format/schema';
export { starterText } from './record/starter';
export { jsonReport } from './report/json';
export { junitReport } from './report/junit';
export { type FileReport, isBroken, totalsOf } from './report/report';
export { diffText } from './report/text';
export { type RehearsalResult, runRehearsal } from './run';
export { earliest, type Happening, type Pick } from './simulation/happenings';
export {
  type Answer,
  type SimulateOptions,
  type Simulated,
  simulatePlan,
  START,
  type World,
} from './simulation/simulate';
