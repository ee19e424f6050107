export { desugar, type Desugared, mergeWays, type Origins } from './desugar';
export { type Origin } from './flatten';
export { constructOf } from './shape';
