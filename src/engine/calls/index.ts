export { childSettled, childStarted, childTimedOut, steerChildren } from './child';
export { interruptAll, interruptTask, isAnythingUnderWay } from './interrupt';
export { startTask } from './task';
export { receive, waitElapsed } from './wait';
