export { Alignment } from './alignment';
export { compare, Summariser, type Comparison, type Difference } from './diff';
