export { buildWorkflowBundle, loadWorkflowBundle, workflowBundlePath } from './bundle';
export { type WorkerLog, workerLog } from './log';
export { nativeConnection } from './native';
export { installMeasuredRuntime, installRuntime } from './runtime';
export { type RunningWorkers, startWorkers, type WorkersOptions } from './workers';
export { deploymentOptions, type Versioning } from './versioning';
export { PlaybookRefused, type PlaybookResolver } from './playbooks';
export {
  type CredentialProvider,
  type CredentialResolver,
  defaultCredentials,
} from '../../../activities/framework/credentials';
export { configuredFacade, type FacadeAddress } from './facade-address';
