export { type Hiding } from './hide';
export { type LogLine, type Stream } from './line';
export { isChunkName } from './names';
export { type Printer } from './printer';
export { followLines, isPlace, type Placed, storedLines } from './reader';
export { type LogStore } from './store';
export { LogWriter, type LogWriterOptions } from './writer';
