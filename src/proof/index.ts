export {
  addTouches,
  Coverage,
  type Covered,
  coveredBy,
  type Part,
  type Touches,
  touchesIn,
  withCoverage,
} from './coverage';
export { type Anew, type AnewOptions, decideAnew } from './decide-anew';
export { type Comparison, type Decision, type Difference } from './decisions';
export { readRecording, type Recording, recordSimulation, type Supplied, type Unanswered } from './recording';
export * from './verify';
export { type OpenCall, type WhatIf, whatIf } from './what-if';
