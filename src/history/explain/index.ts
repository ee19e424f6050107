export { type Considered, type Decision } from './decision';
export { explain, type Explanation, type SourceLines } from './explainer';
