/** Playbooks with limits, and what the engine requests from keepers. */
import { type Command, type Input } from '../../src/engine/machine/batch';
import { type LimitCall } from '../../src/language/plan';
import { playbookOf } from './simulator';

const NOOP = '- {step: start, tool: {kind: noop, input: {ran: true}}}';
/** A playbook with this `executor.spec`. */
export const limited = (spec: string, workflow = NOOP): string =>
  playbookOf(workflow, `executor: {spec: {${spec}}}`);

export function isRequest(command: Command): boolean {
  return command.type === 'runTask' && command.call.kind === 'limit';
}

/** The request to a keeper among the commands. */
export function requestIn(commands: readonly Command[]): LimitCall {
  const command = commands.find(isRequest) as Extract<Command, { type: 'runTask' }>;
  return command.call.config as unknown as LimitCall;
}

/** The end of the activity that sends a request. */
export function settled(taskRunId: string): Input {
  return {
    type: 'taskSettled',
    taskRunId,
    outcome: { status: 'ok', result: null, error: null, meta: {} },
  };
}
