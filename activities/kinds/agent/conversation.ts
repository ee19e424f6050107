/**
 * What was said, in the store of large results: each turn is a value of its own that names the one before it, so that
 * history holds a name, and neither grows with the square of the turns. A turn is stored before its task ends, under the
 * name of the task's unit of work: if the worker is lost in between, the model is not asked again.
 */
import { groupBy, type JsonObject, workflowId } from '../../../src/language/plan';
import {
  callRefusal,
  MAX_TURN_CALLS,
  mappingIn,
  mappingsIn,
  textIn,
  type TurnAnswer,
} from '../../../src/language/kinds/agent-turn';
import { type ResultStore } from '../../../src/storage/payloads';
import { invalidInput } from '../../framework/tool/outcome';

/** What the user said, and what the model answered. */
export interface AgentExchange extends TurnAnswer {
  /** The turn before. */
  readonly before: string | null;
  /** The fields that are the same in all turns; empty where a secret in them is not to be stored. */
  readonly head: JsonObject;
  /** Results of tools; empty in the first turn, which begins with the prompt, and after a pause. */
  readonly messages: readonly JsonObject[];
}

/** The turn of that name. Names begin with the execution: a rerun goes on with the conversation of the original. */
export function exchangeNamed(store: ResultStore, name: string): Promise<AgentExchange | undefined> {
  return store.saved(workflowId(name.slice(0, name.indexOf('/'))), name);
}

/** All turns up to that of the name, in their order. @throws ToolError `NO_CONVERSATION` */
export async function exchangesUpTo(store: ResultStore, name: string): Promise<AgentExchange[]> {
  const turns: AgentExchange[] = [];
  for (let next: string | null = name; next !== null; next = turns[0]!.before) {
    const turn = await exchangeNamed(store, next);
    const message = `agent: the store ${store.shown} has no turn ${next} of the conversation`;
    if (!turn) throw invalidInput(message, 'NO_CONVERSATION');
    turns.unshift(turn);
  }
  return turns;
}

/** An answer for each call of the model, as one message; none where it called nothing. */
export function toolResults({ content }: TurnAnswer, config: JsonObject): JsonObject[] {
  // A model may give two calls the same id: each has an answer of its own, in their order.
  const answers = groupBy(mappingsIn(config['answers']), ({ id = null }) => id);
  const blocks = content.flatMap((use): JsonObject[] => {
    if (use['type'] !== 'tool_use') return [];
    const answer: JsonObject = answers.get(use['id'] ?? null)?.shift() ?? {
      error: {
        message:
          callRefusal(use, config) ?? `the tool was not run: a turn has at most ${MAX_TURN_CALLS} calls`,
      },
    };
    const { message } = mappingIn(answer['error']);
    const isError = message !== undefined;
    const text = textIn(isError ? message : (answer['result'] ?? null));
    return [
      {
        type: 'tool_result',
        tool_use_id: use['id'] ?? null,
        content: text,
        ...(isError && { is_error: true }),
      },
    ];
  });
  return blocks.length > 0 ? [{ role: 'user', content: blocks }] : [];
}

/** The messages of a request. @param last what answers the last turn */
export function messagesOf(
  prompt: string,
  turns: readonly AgentExchange[],
  last: readonly JsonObject[],
): JsonObject[] {
  const all: JsonObject[] = [{ role: 'user', content: prompt }];
  for (const { messages, content } of turns) {
    all.push(...messages);
    // After a pause, the model goes on with its answer.
    const begun = all.at(-1)!['role'] === 'assistant' ? mappingsIn(all.pop()!['content']) : [];
    all.push({ role: 'assistant', content: [...begun, ...content] });
  }
  return [...all, ...last];
}
