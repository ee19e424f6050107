export { CANCELLED } from './effects';
export { earliest, type Happening, type Mark, type Pick } from './happenings';
export { type OtherExecution } from './keepers';
export { type SimulateOptions, type Simulated, simulatePlan, START } from './simulate';
export { type WorldAnswer, type Awaited, type Due, type LimitAnswers, type Next, type World } from './world';
