export { callText, canonicalText, valueOf } from './canonical';
export {
  compareDecisions,
  type DecisionComparison,
  type DecisionDifference,
  firstDifference,
} from './compare';
export { Decider } from './decider';
export { type RecordedDecision } from './decision';
