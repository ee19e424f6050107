/** The Temporal SDK's process-wide runtime. */
import { Runtime } from '@temporalio/worker';
import { temporalLogger, type WorkerLog, workerLog } from './log';

let installed = false;

/**
 * Installs the runtime with our logger and without its own signal handlers: what Ctrl-C and SIGTERM mean is the
 * command's decision. Call it before the first `NativeConnection`; later calls do nothing. A runtime somebody else
 * made first stays.
 */
export function installRuntime(log: WorkerLog = workerLog()): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: temporalLogger(log),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    log.debug({ error: (error as Error).message }, 'the Temporal runtime was already installed');
  }
}
