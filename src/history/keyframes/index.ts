export { segmentDecisions } from './decisions-in';
export { momentIn } from './moment-in';
export { type SegmentPlace, replaySegment, type SegmentWatcher, type Unpacked } from './replay';
export { type Segment, unpackSegment } from './segment';
export { stateIn } from './state-in';
export { KeyframeWriter, type Part } from './writer';
