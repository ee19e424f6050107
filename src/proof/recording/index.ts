export { readRecording, recordSimulation } from './read';
export { RecordedWorld, type Supplied, type Unanswered } from './recorded-world';
export { type Recording } from './recording';
export { Renamed } from './renamed';
