export { type Considered, type Decision } from './decision';
export { explain, type ExplainOptions, type Explanation, type SourceLines } from './explainer';
