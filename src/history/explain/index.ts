export { type Considered, type Decision } from './decision';
export { explain, type ExplainOptions, type Explanation } from './explainer';
export { type SourceLines } from './teller';
