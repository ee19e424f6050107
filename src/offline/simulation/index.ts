export { readSimulation, STANDARD_FAULTS } from './format/read';
export { faultsSchema } from './format/schema';
export { type SimulationResult, type FoundFault, simulationResult } from './found';
export { runSeed, Setting } from './run';
export {
  addSimulationTally,
  emptySimulationTally,
  runSeeds,
  type Seeds,
  type SimulationTally,
} from './tally';
