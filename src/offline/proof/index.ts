export {
  addTouches,
  Coverage,
  type Covered,
  coveredBy,
  type Touches,
  touchesIn,
  withCoverage,
} from './coverage';
export { type Anew, decideAnew } from './decide-anew';
export { type CallExecutor, executedAnswers } from './execute';
export { readRecording, type Recording, type Supplied } from './recording';
export * from './verify';
export { type OpenCall, type WhatIf, whatIf } from './what-if';
