export { assign, keyOf, patched, targetsOf, write } from './assign';
export { collectedBy, combined, containerOf, ctxAt, listOf, read } from './collected';
export { frameResult, lastOf, STEP_TIMEOUT, writeStep } from './result';
export { type CallNames, type Place, type SecretTable } from './place';
export { EngineScope } from './scope';
export { keepSecrets, secretsIn } from './secrets';
export * from './values';
export { EventView, stepView, withPayload } from './views';
