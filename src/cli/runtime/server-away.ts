/**
 * Checks the Temporal server before heavy modules are loaded, because no message could be printed during loading.
 */
import { configuredAddress } from '../../temporal/client/address';
import { isListening } from '../../temporal/server/ports';
import { sayWaiting, temporalAt } from '../output/waiting';

/** Milliseconds; a reachable server accepts a connection within a few. */
const LOOK_MS = 500;

/** Prints a message at once if the server of TEMPORAL_ADDRESS does not accept a connection. */
export async function sayIfAway(): Promise<void> {
  const address = configuredAddress();
  if (address === undefined) return;
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address)!;
  if (!(await isListening(Number(port), LOOK_MS, host))) sayWaiting(temporalAt(address));
}
