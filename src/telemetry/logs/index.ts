export { type LogLine } from './line';
export { isChunkName } from './names';
export { beforePlace, followLines, isPlace, lastLines, logParts, type Placed, storedLines } from './reader';
export { type LogStore } from './store';
export { LogWriter } from './writer';
export { wantedLines } from './wanted';
