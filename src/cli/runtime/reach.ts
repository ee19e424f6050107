/** Connects every command to the Temporal server named by the environment. */
import { type Connection } from '@temporalio/client';
import { configuredAddress, connect, type TemporalTarget, targetOf } from '../../temporal/client';
import { temporalAt, waitingFor } from '../output/waiting';

/** Of checks of a server. */
const CONNECT_MS = 5_000;

/** As `connect`, and prints what it waits for if that takes long. */
export function reach(...args: Parameters<typeof connect>): ReturnType<typeof connect> {
  return waitingFor(temporalAt(args[0].address), connect(...args));
}

/** The server of a production process: the one named by the environment, else the usual one of this machine. */
export function servedTarget(): TemporalTarget {
  return targetOf(undefined, {
    ...process.env,
    TEMPORAL_ADDRESS: configuredAddress() ?? '127.0.0.1:7233',
  });
}

/** Asks the server named by the environment; undefined if there is none, because the embedded one is as we need it. */
export async function atServer<T>(
  ask: (connection: Connection, namespace: string) => Promise<T>,
): Promise<T | undefined> {
  if (!configuredAddress()) return undefined;
  const target = targetOf(undefined);
  const { connection } = await reach(target, CONNECT_MS);
  try {
    return await ask(connection, target.namespace);
  } finally {
    await connection.close();
  }
}
