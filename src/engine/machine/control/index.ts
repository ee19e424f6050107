export { beginRun, continueExecution, dropVariables, pause, resume, writeVariables, start } from './control';
export { checkKeychain, KEYCHAIN_RUN, keychainChecked } from './keychain';
export { limitAnswered, limitAsked } from './limits';
export { awaitedEvents, type LiveToken, liveTokens, type Progress, type Queued } from './progress';
export { beginAgain, rerunFrom, rerunState } from './rerun';
