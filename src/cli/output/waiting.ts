import { printable } from './paint';

/** A person wonders after this long. */
const SAY_AFTER_MS = 1_000;

/** Said once a command, however many of its parts wait. */
const said = new Set<string>();

/** Says whom the command waits for, unless the answer comes soon. */
export async function waitingFor<T>(whom: string, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    if (!said.has(whom)) process.stderr.write(`waiting for ${printable(whom)} …\n`);
    said.add(whom);
  }, SAY_AFTER_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
