export { segmentDecisions } from './decisions-in';
export { momentIn, stateIn } from './moment-in';
export { type SegmentPlace, replaySegment, type SegmentWatcher, type Unpacked } from './replay';
export { type Segment, unpackSegment } from './segment';
export { KeyframeWriter, type Part } from './writer';
