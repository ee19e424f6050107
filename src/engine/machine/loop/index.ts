export { chunkResult, chunkState, endPart, planOfChunk } from './chunk';
export { chunkSettled, startChunk, steerChunks, stopChunks } from './chunks';
export { bookIteration, iterateLoop, openStepLoop, openTaskLoop } from './loop';
export { notStarted, openNoMore, resultsIn, statsOf } from './loop-stats';
export { enterPipeline, openFrame, settle } from './pipeline';
