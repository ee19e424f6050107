/** What is told of an execution while its workflow task fails: a code, which attempt, and what to do. */
import { type Client } from '@temporalio/client';
import { stuckWorkflow, UNANSWERED, type WorkflowTaskFailure } from './stuck';

export interface WorkflowTaskTrouble {
  readonly code: string;
  /** The one that is under way, or waits for its turn. */
  readonly attempt: number;
  readonly message: string;
  readonly hint: string;
}

/** The first attempt that repeats another one. */
const REPEATED = 2;
/** Begins the message about a workflow task that does not end. */
export const ENDLESS_WORKFLOW_TASK = 'one workflow task takes more than';

/** Messages of errors that do not depend on anything outside of the workflow. */
const HOPELESS = [
  /Script execution timed out/,
  new RegExp(`^${ENDLESS_WORKFLOW_TASK}`),
  /templates take too long/,
  /Maximum call stack size exceeded/,
  /Invalid (string|array|typed array) length|Array buffer allocation failed/,
  /Cannot create a string longer|out of memory/i,
  // A value that exists in memory, but not as text: its parts are shared.
  /Unable to convert .* to payload/,
];

/** Whether an error of a workflow task recurs whatever is repaired outside. */
export function isHopeless(message: string): boolean {
  return HOPELESS.some((pattern) => pattern.test(message));
}

const BY_HAND = '`noetl-temporal cancel EXECUTION --force` ends it.';
const HINTS: Readonly<Record<string, string>> = {
  WORKFLOW_TASK_TOO_EXPENSIVE: `If it needs more than a worker can do when it is tried alone, too, it is ended after some attempts (CANNOT_CONTINUE). Let the playbook compute less at once. ${BY_HAND}`,
  WORKFLOW_TASK_DIVERGED: `It was begun by another release, or its history was changed: start a workflow worker of the release that began it. ${BY_HAND}`,
  WORKFLOW_TASK_UNANSWERED: `\`noetl-temporal doctor\` tells which processes died, and of what. If it ends a worker when it is tried alone, too, it is ended after some attempts (CANNOT_CONTINUE). ${BY_HAND}`,
  WORKFLOW_TASK_FAILED: `It is tried again until what the message names (a release, a key, storage) is there. ${BY_HAND}`,
};

function codeOf({ cause, message }: WorkflowTaskFailure): string {
  if (cause === UNANSWERED) return 'WORKFLOW_TASK_UNANSWERED';
  if (isHopeless(message)) return 'WORKFLOW_TASK_TOO_EXPENSIVE';
  return cause === 'NON_DETERMINISTIC_ERROR' ? 'WORKFLOW_TASK_DIVERGED' : 'WORKFLOW_TASK_FAILED';
}

/** @returns undefined if its workflow task does not fail, or it has ended */
export async function troubleOf(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowTaskTrouble | undefined> {
  const stuck = await stuckWorkflow(client, workflowId, runId, REPEATED);
  if (!stuck) return undefined;
  const { attempt, failure = { cause: '', message: 'why is not recorded' } } = stuck;
  const code = codeOf(failure);
  const message = `its workflow task has failed ${attempt - 1} times: ${failure.message.slice(0, 500)}`;
  return { code, attempt, message, hint: HINTS[code]! };
}
