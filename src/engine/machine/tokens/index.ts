export { cancelRun, failExecution, finishIfOver } from './finish';
export { reusedOf } from './reuse';
export { admit, admitHeld, beginStepBody, endRun, frameEnded } from './step';
export { stopRun } from './stop';
export { arrive, enterAt, resolveJoins, tellOf } from './token';
