export { noteEnds } from './companion';
export { type Asked, type Judge, type Judged } from './judge';
export { Shadow, type ShadowOptions } from './shadow';
