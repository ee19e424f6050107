export { addTouches, Coverage, type Covered, coveredBy, type Touches, touchesIn } from './coverage';
export { withCoverage } from './graph';
