export { unifiedDiff } from './diff';
export { type Note } from './notes';
export { type Upgraded, upgrade } from './upgrade';
