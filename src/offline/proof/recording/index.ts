export { readRecording } from './read';
export { type Beginning } from './recorder';
export { RecordedWorld, type Supplied, type UnansweredCall } from './recorded-world';
export { type Recording } from './recording';
export { Renamed } from './renamed';
