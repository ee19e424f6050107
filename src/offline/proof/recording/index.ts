export { readRecording } from './recorder';
export { placeOf, RecordedWorld, type Supplied, type UnansweredCall } from './recorded-world';
export { recordedOutcome, type Recording } from './recording';
export { Renamed } from './renamed';
