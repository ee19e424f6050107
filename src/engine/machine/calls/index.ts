export { childSettled, childStarted, childTimedOut, steerChildren } from './child';
export { interruptAll, interruptTask, isAnythingUnderWay } from './interrupt';
export { askKeeper, keeperId, LimitFields } from './limit-call';
export { dropSlot, requestSlots, slotsReserved, waitsForSlot, wantAgain } from './slots';
export { startTask } from './task';
export { receiveEvent, timestamp, waitElapsed } from './wait';
