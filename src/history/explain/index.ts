export { type DecisionSelection } from './kept';
export { type Considered, type ExplainedDecision } from './weigh';
export { explainExecution, type ExplainOptions, type Explanation } from './explainer';
export { type SourceLines } from './teller';
