export { chunkResult, chunkState, endPart, planOfChunk } from './chunk';
export { chunkSettled, startChunk, steerChunks, stopChunks } from './chunks';
export { frameClaimed } from './cursor';
export { bookIteration, iterateLoop } from './loop';
export { openStepLoop, openTaskLoop } from './open';
export { notStarted, openNoMore, resultsIn, statsOf } from './loop-stats';
export { enterPipeline, openFrame, settle } from './pipeline';
