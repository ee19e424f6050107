export { desugar, mergeWays, type Origins } from './desugar';
export { constructOf } from './shape';
