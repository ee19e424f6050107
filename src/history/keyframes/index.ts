export { segmentDecisions } from './decisions-in';
export { momentIn } from './moment-in';
export {
  type SegmentPlace,
  replaySegment,
  type Segment,
  type SegmentWatcher,
  type Unpacked,
  unpackSegment,
} from './segment';
export { stateIn } from './state-in';
export { KeyframeWriter, type Part } from './writer';
