export { type Considered, type Decision } from './decision';
export { explain, type ExplainOptions, type Explanation } from './explainer';
export { decisionsIn } from './in-segment';
export { Memory } from './memory';
export { type SourceLines } from './teller';
