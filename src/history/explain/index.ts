export { type Considered, type ExplainedDecision } from './decision';
export { explainExecution, type ExplainOptions, type Explanation } from './explainer';
export { type SourceLines } from './teller';
