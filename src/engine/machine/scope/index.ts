export { assign, containerOf, keyOf, patched, targetsOf } from './assign';
export { collectedBy, combined, ctxAt, joined, listOf } from './collected';
export { read, write } from './paths';
export { frameResult, lastOf, STEP_TIMEOUT, writeStep } from './result';
export { type CallNames, type Place, type SecretTable } from './place';
export { EngineScope } from './scope';
export { keepSecrets, secretsIn } from './secrets';
export * from './values';
export { EventView, stepView, withPayload } from './views';
