export { readRecording, recordSimulation } from './read';
export { RecordedWorld, type Supplied, type Unanswered, type WhyUnanswered } from './recorded-world';
export { type RecordedCall, type Recording } from './recording';
export { Renamed } from './renamed';
