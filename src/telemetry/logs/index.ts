export { type LogLine } from './line';
export { isChunkName } from './names';
export { followLines, isPlace, lastLines, type Placed, storedLines } from './reader';
export { type LogStore } from './store';
export { LogWriter } from './writer';
