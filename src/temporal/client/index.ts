export { abortable } from './abortable';
export * from './address';
export {
  historyPages,
  isAborted,
  isTransient,
  executionNotFound,
  type PagesOptions,
  pagesOfRun,
} from './chain';
export { awaitedEnd, closeEvent } from './close-event';
export * from './connect';
export * from './control';
export { describedIfThere } from './described';
export {
  executionQuery,
  type ExecutionFilter,
  isSkipped,
  LISTED_STATUSES,
  listedStatus,
  type ListedStatus,
} from './filters';
export { CANCELLED_BY_FORCE, cancelFamily, type FamilyCancel, forceFamily, terminateFamily } from './family';
export {
  executionIdIn,
  executionPages,
  locate,
  type LocatedExecution,
  temporalStatus,
  sinceLastTask,
  untilEnded,
  workflowIdOf,
} from './locate';
export { limitsInUse } from './limits';
export * from './naming';
export { obtainTemporalCli } from '../server/binary';
export { runProgram } from '../server/command';
export { type DevServer, type DevServerOptions, startDevServer } from '../server/dev-server';
export * from './stuck';
export * from './trouble';
export {
  type CalledFrom,
  type StartedExecution,
  startExecution,
  type StartInput,
  type StartOrigin,
} from './start';
export { runs } from '../server/orphan';
export { privateFolder } from '../server/private-folder';
export { freePort, heldPort, isListening } from '../server/ports';
export { holdService, type ServiceCommand, type ServiceHold } from '../server/shared-service';
export { isAlive, lockHolder, noteInLock, takeLock } from '../server/lock';
export { countVisible, eachVisible, listVisible, quotedQueryText, type VisibleExecution } from './visibility';
export { temporalAnswers, whoIsAway } from './ready';
export * from '../schedules';
export * from '../served';
export { isUnderWay, playbookOf, type PlaybookOf } from './playbook-of';
export { profileVariables } from './profile';
