export {
  addTouches,
  Coverage,
  type Covered,
  coveredBy,
  type Part,
  partsOf,
  type Touches,
  touchesIn,
} from './coverage';
export { withCoverage } from './graph';
