export { readSimulation, type ReadSimulation, STANDARD_FAULTS } from './format/read';
export { faultsSchema } from './format/schema';
export { type Simulation } from './format/simulation';
export { type SimulationResult, type FoundFault, foundIn } from './found';
export { type Fault, runSeed, type SeedRun, Setting } from './run';
export { addTally, emptyTally, runSeeds, type Seeds, type Tally } from './tally';
