export { abortable } from './abortable';
export * from './address';
export { historyPages, isAborted, isTransient, notFound, type PagesOptions } from './chain';
export { closeEvent } from './close-event';
export * from './connect';
export * from './control';
export {
  executionQuery,
  type ExecutionFilter,
  LISTED_STATUSES,
  listedStatus,
  type ListedStatus,
} from './filters';
export { cancelFamily, type FamilyCancel } from './family';
export {
  executionIdIn,
  executionPages,
  locate,
  type Place,
  temporalStatus,
  untilEnded,
  workflowIdOf,
} from './locate';
export { type LimitFilter, type LimitInUse, limitsInUse } from './limits';
export * from './naming';
export { type Binary, obtainTemporalCli } from './server/binary';
export { type CommandResult, runProgram } from './server/command';
export { type DevServer, type DevServerOptions, startDevServer } from './server/dev-server';
export { type Execution, type Origin, startExecution, type StartInput } from './start';
export { runs } from './server/orphan';
export { freePort, heldPort, isListening } from './server/ports';
export { holdService, type ServiceHold, type ServiceSpec } from './server/shared-service';
export { isAlive } from './server/start-lock';
export {
  countVisible,
  eachVisible,
  listVisible,
  quoted,
  type VisibleExecution,
  type VisiblePage,
} from './visibility';
export * from './schedules';
export { profileVariables } from './profile';
