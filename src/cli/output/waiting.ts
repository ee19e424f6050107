import { printable } from './paint';

/** What is there answers before, and nobody wonders yet who has waited for the command to load. */
const SAY_AFTER_MS = 1_000;

/** Said once a command, however many of its parts wait. */
const said = new Set<string>();

/** The Temporal server, as somebody who is waited for. */
export function temporalAt(address: string): string {
  return `the Temporal server at ${address}`;
}

/** Says whom the command waits for, unless that is said. */
export function sayWaiting(whom: string): void {
  if (!said.has(whom)) process.stderr.write(`waiting for ${printable(whom)} …\n`);
  said.add(whom);
}

/** As `sayWaiting`, unless the answer comes soon. */
export async function waitingFor<T>(whom: string, answer: Promise<T>, sayAfterMs = SAY_AFTER_MS): Promise<T> {
  const timer = setTimeout(() => sayWaiting(whom), sayAfterMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
