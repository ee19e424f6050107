export { requestOf, canonical, valueOf } from './canonical';
export { compareDecisions, type Comparison, type Difference, firstDifference } from './compare';
export { Decider } from './decider';
export { type Decision } from './decision';
