export { assign, patched, type Targets, write } from './assign';
export {
  isInside,
  iterationsOf,
  loopOf,
  outerOf,
  sinkNamed,
  stoppingOf,
  taskOf,
  tasksOf,
  workOf,
} from './frame';
export { type CallNames } from './names';
export { newFrame } from './new-frame';
export { DEFAULT_ATTEMPTS, DEFAULT_DELAY_S, DEFAULT_MAX_DELAY_S, numberAt, secondsIn } from './numbers';
export { withPayload } from './payload';
export { frameResult, lastOf, writeStep } from './result';
export { EngineScope, type Place } from './scope';
export { keepSecrets, secretsIn, type SecretTable } from './secrets';
export { inputsOver } from './step-inputs';
export { configAt, holds, mappingAt, valueAt } from './values';
export { EventView, loopView, stepView } from './views';
