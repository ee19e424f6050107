export { type Considered, type Decision, type DecisionKind, type Place } from './decision';
export { explain, type Explanation, type SourceLines } from './explainer';
