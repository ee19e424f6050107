import { printable } from './paint';

/** What is there answers before, and nobody wonders yet who has waited for the command to load. */
const SAY_AFTER_MS = 1_000;

/** Said once a command, however many of its parts wait. */
const said = new Set<string>();

/** Says whom the command waits for, unless the answer comes soon. */
export async function waitingFor<T>(whom: string, answer: Promise<T>, sayAfterMs = SAY_AFTER_MS): Promise<T> {
  const timer = setTimeout(() => {
    if (!said.has(whom)) process.stderr.write(`waiting for ${printable(whom)} …\n`);
    said.add(whom);
  }, sayAfterMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
