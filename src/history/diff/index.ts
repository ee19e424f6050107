export { compare, type Comparison, type Difference, Summariser } from './diff';
