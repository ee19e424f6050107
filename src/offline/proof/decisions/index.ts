export { callText, canonicalText, limitsText, valueOf } from './canonical';
export {
  compareDecisions,
  type DecisionComparison,
  type DecisionDifference,
  firstDifference,
  type RecordedDecision,
} from './compare';
export { Decider } from './decider';
