export { noteEnds } from './companion';
export { type JudgeRequest, type Judged } from './judge';
export { Shadow, type ShadowOptions } from './shadow';
