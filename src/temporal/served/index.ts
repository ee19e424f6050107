export { type QueueSigns, signsOf, workerSigns } from './signs';
export { poolOf, type UnservedQueue, unservedQueues, waitingTasksOfAll } from './unserved';
