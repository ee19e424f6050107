export { readSimulation, STANDARD_FAULTS } from './format/read';
export { faultsSchema } from './format/schema';
export { type SimulationResult, type FoundFault, foundIn } from './found';
export { runSeed, Setting } from './run';
export { addTally, emptyTally, runSeeds, type Seeds, type Tally } from './tally';
