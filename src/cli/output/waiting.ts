import { printable } from './paint';

/**
 * A reachable server responds earlier, and a user who has just waited for the command to load does not wonder yet.
 */
const SAY_AFTER_MS = 1_000;

/** Printed once per command, even if several of its parts wait. */
const announced = new Set<string>();

/** The Temporal server, as named in the message. */
export function temporalAt(address: string): string {
  return `the Temporal server at ${address}`;
}

/** Prints what the command waits for, unless already printed. */
export function sayWaiting(whom: string): void {
  if (!announced.has(whom)) process.stderr.write(`waiting for ${printable(whom)} …\n`);
  announced.add(whom);
}

/** As `sayWaiting`, unless the response arrives soon. */
export async function waitingFor<T>(whom: string, answer: Promise<T>, sayAfterMs = SAY_AFTER_MS): Promise<T> {
  const timer = setTimeout(() => sayWaiting(whom), sayAfterMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
