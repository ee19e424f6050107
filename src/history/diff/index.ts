export { compare, type Comparison, type Difference, Summariser, type Timing } from './diff';
