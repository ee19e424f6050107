/** Names of the signals that end processes. */
import os from 'node:os';

/** `SIGKILL` for 9; undefined for a number that is no signal. Of two names the usual one: `SIGABRT`, not `SIGIOT`. */
export function signalName(number: number): string | undefined {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0];
}
