/** Executions of this installation that call a playbook over MCP: what they start belongs to their family. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { hasCode } from '../../../language/errors';
import { numberSetting } from '../../../language/errors/number-settings';
import { MAX_CALL_DEPTH } from '../../../language/plan';
import { type CalledFrom } from '../../../temporal/client';
import { described } from '../executions/described';
import { FacadeError } from '../http/errors';

/** Open sub-playbooks of a family, and how many times as many in all (docs/sub-playbooks.md). */
const [OPEN, IN_ALL] = [1000, 10];

/** As a submission takes it. */
export interface McpCaller {
  readonly parentExecutionId: string;
  readonly calledFrom: CalledFrom;
}

/**
 * Who calls, by the key of its task, which names the execution. What counts is looked up: whoever makes a key up belongs to
 * the family that it names, and to none of another token.
 *
 * @returns undefined if there is no such execution here
 */
export async function mcpCallerOf(client: Client, taskKey: string): Promise<McpCaller | undefined> {
  const [parentExecutionId = ''] = taskKey.split('/');
  const caller = await orNone(() => described(client, parentExecutionId));
  if (!caller) return undefined;
  const root = caller.rootExecution?.workflowId ?? caller.workflowId;
  // Calls within a tree of Temporal count from its root.
  const isInner = root !== caller.workflowId;
  const first = isInner ? await orNone(() => client.workflow.getHandle(root).describe()) : caller;
  const { depth = 0, family = root } = callOf(first);
  const inner = isInner ? (callOf(caller).depth ?? 0) : 0;
  return { parentExecutionId, calledFrom: { depth: depth + inner + 1, family } };
}

function callOf(description: WorkflowExecutionDescription | undefined): Partial<CalledFrom> {
  const { noetl_caller: call } = (description?.memo ?? {}) as { noetl_caller?: Partial<CalledFrom> };
  return call ?? {};
}

async function orNone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || error instanceof FacadeError) return undefined;
    if (hasCode(error, 'EXECUTION_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** @param started by calls of the family over MCP before. @throws FacadeError 409 `PLAYBOOK_DEPTH`, `PLAYBOOK_FAMILY` */
export function refuseEndless(path: string, { depth, family }: CalledFrom, started: number): void {
  if (depth > MAX_CALL_DEPTH)
    throw new FacadeError(
      409,
      'PLAYBOOK_DEPTH',
      `playbook ${path} is nested ${depth} calls deep, more than ${MAX_CALL_DEPTH}: does it call itself endlessly?`,
    );
  const most = IN_ALL * (numberSetting('NOETL_FAMILY_LIMIT') ?? OPEN);
  if (started < most) return;
  throw new FacadeError(
    409,
    'PLAYBOOK_FAMILY',
    `playbook ${path} was not started: its family, which began with ${family}, has made ${most} calls over MCP. Does a playbook ` +
      'call itself without end? An operator can raise the limit with NOETL_FAMILY_LIMIT on the facade',
  );
}
