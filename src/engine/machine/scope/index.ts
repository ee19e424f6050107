export { assignAll, containerOf, targetKey, patched, assignmentTargets } from './assign';
export { collectedBy, combined, ctxAt, joined, collectedList } from './collected';
export { readPath, write } from './paths';
export { frameResult, lastOf, noteAnswer, STEP_TIMEOUT, writeStep } from './result';
export { type CallNames, type EnginePlace, type SecretTable } from './place';
export { EngineScope } from './scope';
export { keepSecrets, secretsIn } from './secrets';
export * from './values';
export { EventView, stepView, withPayload } from './views';
