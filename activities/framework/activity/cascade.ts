/** An execution that was cancelled with all that it started starts nothing more, however late its parts learn of it. */
import { CASCADE_MS, cascadeWorkflowId } from '../../../src/language/plan/names';
import { PlaybookRefused } from './playbook-refused';

/** When the workflow was started; undefined if there is none. */
export type StartOf = (workflow: string) => Promise<Date | undefined>;

/**
 * The mark of a cancelled execution is asked for, not listed: from the moment the server has it, whoever asks sees it.
 *
 * @param callers execution ids
 * @throws PlaybookRefused `PLAYBOOK_CANCELLED` for what a cancelled execution calls, directly or indirectly
 */
export async function refuseCancelled(
  path: string,
  callers: readonly string[],
  startOf: StartOf,
  now: () => number = Date.now,
): Promise<void> {
  const marks = await Promise.all(callers.map((id) => startOf(cascadeWorkflowId(id))));
  const cancelled = callers.find((_, index) => {
    const mark = marks[index];
    return mark !== undefined && now() - mark.getTime() < CASCADE_MS;
  });
  if (cancelled === undefined) return;
  throw new PlaybookRefused(
    'PLAYBOOK_CANCELLED',
    `playbook ${path} was not started: execution ${cancelled}, which called it directly or indirectly, was cancelled with all ` +
      'that it started',
  );
}
