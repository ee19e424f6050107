export { decisionsIn } from './decisions-in';
export { momentIn } from './moment-in';
export { replay, type Segment, type SegmentWatcher, type Unpacked, unpackSegment } from './segment';
export { stateIn } from './state-in';
export { KeyframeWriter } from './writer';
