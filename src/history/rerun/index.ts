export { RerunError, type RerunRefusal } from './error';
export { type PreparedRerun, prepareRerun, type RerunRequest } from './prepare';
