export { chunkResult, chunkState, endPart } from './chunk';
export { chunkSettled, startChunk, steerChunks, stopChunks } from './chunks';
export { type LocalAnswer, type LocalInput, planOfChunk } from './local';
export { bookIteration, iterate, openStepLoop, openTaskLoop } from './loop';
export { notStarted, openNoMore, resultsIn, statsOf } from './loop-stats';
export { enterPipeline, openFrame, settle } from './pipeline';
