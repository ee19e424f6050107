export { prepareStep } from './alone';
export { prepareRerun, type RerunRefusal } from './prepare';
export { changedSteps } from './revision';
