export { noteEnds } from './companion';
export { type JudgeRequest, type Judged } from './judge';
export { StagedJudge, type StagedJudgeOptions } from './staged-judge';
