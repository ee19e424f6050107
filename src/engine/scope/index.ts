export { assign, patched, targetsOf, write } from './assign';
export { frameResult, lastOf, writeStep } from './result';
export { type CallNames, type Place, type SecretTable } from './place';
export { EngineScope } from './scope';
export { keepSecrets, secretsIn } from './secrets';
export * from './values';
export { EventView, stepView, withPayload } from './views';
