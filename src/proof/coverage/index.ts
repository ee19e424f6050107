export {
  addTouches,
  Coverage,
  type Covered,
  coveredBy,
  type Part,
  type Touches,
  touchesIn,
} from './coverage';
export { withCoverage } from './graph';
