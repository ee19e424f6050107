export { earliest, type Happening, type Pick } from './simulation/happenings';
export {
  type Answer,
  type SimulateOptions,
  type Simulated,
  simulatePlan,
  START,
  type World,
} from './simulation/simulate';
