export { cancelExecution, failExecution, finishIfOver } from './finish';
export { reusedOf } from './reuse';
export { admit, begin, endRun, frameEnded, stopRun } from './step';
export { arrive, enterAt, resolveJoins, tellOf } from './token';
