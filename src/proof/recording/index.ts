export { readRecording, recordSimulation } from './read';
export { Recorder } from './recorder';
export { RecordedWorld, type Supplied, type Unanswered, type WhyUnanswered } from './recorded-world';
export { outcomeOf, type RecordedCall, type Recording } from './recording';
export { Renamed } from './renamed';
