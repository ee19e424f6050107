/** The Temporal SDK's process-wide runtime. */
import { Runtime } from '@temporalio/worker';
import { freePort } from '../server/ports';
import { temporalLogger, type WorkerLog, workerLog } from './log';

/** Shows that a worker lives whose slots are all busy, so that it does not poll (src/temporal/served). */
const HEARTBEAT = '20s';

let installed = false;

/**
 * Installs the runtime with our logger and without its own signal handlers: the command handles Ctrl-C and SIGTERM.
 * Call it before the first `NativeConnection`; later calls do nothing. An already installed runtime is kept.
 *
 * @param metricsAddress where the SDK's own metrics are served in Prometheus' format; nowhere by default
 */
export function installRuntime(log: WorkerLog = workerLog(), metricsAddress?: string): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: temporalLogger(log),
      shutdownSignals: [],
      workerHeartbeatInterval: HEARTBEAT,
      telemetryOptions: {
        logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} },
        ...(metricsAddress !== undefined && {
          metrics: { prometheus: { bindAddress: metricsAddress, useSecondsForDurations: true } },
        }),
      },
    });
  } catch (error) {
    log.debug({ error: (error as Error).message }, 'the Temporal runtime was already installed');
  }
}

/**
 * Installs the runtime and returns the SDK's metrics (slots, latencies of tasks, polls, sticky cache, requests to
 * the server) as text in Prometheus' format. The SDK serves them on a loopback port, which stays internal.
 */
export async function installMeasuredRuntime(log: WorkerLog): Promise<() => Promise<string>> {
  const address = `127.0.0.1:${await freePort()}`;
  installRuntime(log, address);
  return async () => {
    try {
      const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(5_000) });
      return response.ok ? await response.text() : '';
    } catch (error) {
      log.warn({ error: String(error) }, 'the metrics of the Temporal SDK could not be read');
      return '';
    }
  };
}
