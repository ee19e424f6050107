export { type PreparedRerun, prepareRerun, type RerunRefusal, type RerunRequest } from './prepare';
export { changedSteps } from './revision';
