/**
 * Tool kind `agent`: one turn of an agent. The result is `{text, stop_reason, truncated, model, turns, usage}`; with
 * `calls` and `conversation`, the name of the turn in the store, if the model goes on.
 */
import { type JsonObject, type Outcome, type TaskCall, workflowId } from '../../../src/language/plan';
import { agentTurn, mappingIn, textIn, toolsOf } from '../../../src/language/kinds/agent-turn';
import { closeAgents } from '../../framework/http/agents';
import { storeOf } from '../../framework/results/reference';
import { storeFailure } from '../../framework/results/store-failure';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { failedTask, invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Tool, type ToolContext } from '../../framework/tool/tool';
import { exchangeNamed, exchangesUpTo, messagesOf, toolResults } from './conversation';
import { answerOf } from './request';

export const agent: Tool = {
  kind: 'agent',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => turn(call, context, deadline)),
  close: closeAgents,
};

async function turn(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const name = `${call.idempotency_key}@${call.attempt}`;
  const store = toolsOf(call.config).length > 0 ? storeOf(call.kind, context) : context.results;
  const before = (mappingIn(call.config['turn'])['conversation'] as string | undefined) ?? null;
  try {
    const turns = before === null ? [] : await exchangesUpTo(storeOf(call.kind, context), before);
    const config: JsonObject = { ...call.config, ...turns[0]?.head };
    let answer = await (store && exchangeNamed(store, name));
    if (!answer) {
      const messages = turns.length > 0 ? toolResults(turns.at(-1)!, config) : [];
      const about = { call: { ...call, config }, context, deadline };
      const given = await answerOf(about, messagesOf(promptOf(config), turns, messages));
      answer = { ...given, before, head: headOf(config, context), messages };
      await store?.save(workflowId(call.execution_id), name, context.redactIn?.(answer) ?? answer);
    }
    const { result, error } = agentTurn(config, answer);
    if (error) return failedTask({ kind: 'exception', retryable: false, ...error }, { result });
    if (!('calls' in result)) return succeeded(result);
    storeOf(call.kind, context);
    return succeeded({ ...result, conversation: name });
  } catch (error) {
    throw deadline.reason() ?? storeFailure(call.kind, error);
  }
}

function promptOf({ prompt = null }: JsonObject): string {
  const text = prompt === null ? '' : textIn(prompt);
  if (text.trim() !== '') return text;
  throw invalidInput('agent: the prompt is empty', 'MISSING_FIELD');
}

/** Templates may have other values in later turns, but what was said stays. A secret is said anew instead. */
function headOf({ prompt = null, system = null, tools = [] }: JsonObject, context: ToolContext): JsonObject {
  const head = { prompt, system, tools };
  return JSON.stringify(context.redactIn?.(head) ?? head) === JSON.stringify(head) ? head : {};
}
