import { type Outcome } from '../../src/language/plan';

/**
 * The outcome of a task that its timeout stopped after it had begun: with a longer one as long as it had not, so that a
 * busy machine needs more time and no other answer.
 *
 * @param work runs the task with that timeout, in seconds
 */
export async function timedOut(
  work: (total: number) => Promise<Outcome>,
  hasBegun: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  for (let total = 0.5; ; total *= 4) {
    const outcome = await work(total);
    if (hasBegun(outcome) || total > 60) return outcome;
  }
}
