/** An answer of the Messages API as a turn of an agent. Pure: rehearsals decide as workers do. */
import { checkInputs } from '../plan/inputs/check';
import { schemasIn } from '../plan/inputs/schema';
import { isMapping, type Json, type JsonObject } from '../plan/json';

export interface TurnAnswer {
  readonly content: readonly JsonObject[];
  readonly stop_reason: string;
  readonly usage: JsonObject;
}

/** What the agent's task returns. */
export interface AgentTurn {
  /** `{text, stop_reason, truncated, model, turns, usage}`; with `calls` if another turn follows. */
  readonly result: JsonObject;
  /** Why the agent ends without an answer. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Model calls of an agent, unless it sets `max_turns`. */
const MAX_TURNS = 8;
/** Of one turn: each call is an execution, and what answers may be no model. Further ones are answers that say so. */
export const MAX_TURN_CALLS = 100;
/** Of a model call, unless it sets `max_tokens`. */
export const MAX_TOKENS = 4096;

const USAGE = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

/** @param config the fields of the task; `turn` is the result of the turn before */
export function agentTurn(config: JsonObject, { content, stop_reason, usage }: TurnAnswer): AgentTurn {
  const before = mappingIn(config['turn']);
  const turns = numberOf(before['turns']) + 1;
  const earlier = mappingIn(before['usage']);
  const spent = USAGE.map((name) => [name, numberOf(earlier[name]) + numberOf(usage[name])] as const);
  const uses = content.filter(({ type }) => type === 'tool_use');
  const text = content.flatMap((one) => (one['type'] === 'text' ? [textIn(one['text'])] : [])).join('\n');
  const isCut = /^(max_tokens|model_context_window_exceeded)$/.test(stop_reason);
  const model = config['model'] ?? null;
  const result = {
    text,
    stop_reason,
    truncated: isCut,
    model,
    turns,
    usage: Object.fromEntries(spent),
  };
  const ended = (code: string, why: string): AgentTurn => ({
    result: { ...result, truncated: code !== 'REFUSED' },
    error: { code, message: `agent: ${why}` },
  });
  if (isCut && (uses.length > 0 || text.trim() === '')) {
    const limit = config['max_tokens'] ?? MAX_TOKENS;
    const why = `turn ${turns} ended by ${stop_reason} before the answer was whole (max_tokens is ${String(limit)}): raise max_tokens, or ask for less`;
    return ended('MAX_TOKENS', why);
  }
  if (stop_reason === 'refusal') return ended('REFUSED', `the model refuses to answer, in turn ${turns}`);
  if (uses.length === 0 && stop_reason !== 'pause_turn') return { result };
  const limit = numberOf(config['max_turns'], MAX_TURNS);
  if (turns >= limit) return ended('MAX_TURNS', `the model did not finish within max_turns of ${limit}`);
  const budget = numberOf(config['max_total_tokens'], Infinity);
  const total = spent.reduce((sum, [, count]) => sum + count, 0);
  if (total >= budget) {
    const why = `${turns} turns used ${total} tokens of max_total_tokens, ${budget}, and the model did not finish`;
    return ended('TOKEN_BUDGET', why);
  }
  const calls = uses.flatMap(({ id = null, name = null, input = {} }) =>
    callRefusal({ name, input }, config) === undefined ? [{ id, name, input }] : [],
  );
  return { result: { ...result, calls: calls.slice(0, MAX_TURN_CALLS) } };
}

/** Why a call is not made; undefined if it is. */
export function callRefusal({ name = null, input = {} }: JsonObject, config: JsonObject): string | undefined {
  const tools = toolsOf(config);
  const tool = tools.find((one) => one['name'] === name);
  const names = tools.map((one) => String(one['name'])).join(', ');
  if (tool === undefined) return `there is no tool ${textIn(name)}; there are: ${names || 'none'}`;
  const declared = mappingIn(tool['input_schema']);
  // What the author did not offer is not the model's to set: the workload has more keys, with defaults.
  const additionalProperties = declared['properties'] === undefined;
  const schema = schemasIn({ input: { additionalProperties, ...declared, type: 'object' } }, ['input']);
  const wrong = checkInputs(schema, new Set(), { input });
  if (wrong.length === 0) return undefined;
  return `invalid input: ${wrong.map(({ at, message }) => `${at.replace(/^workload\.(input\.)?/, '')} ${message}`).join('; ')}`;
}

export function toolsOf({ tools }: JsonObject): readonly JsonObject[] {
  return mappingsIn(tools);
}

/** A text as it is; a model may also send something else. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The mapping, or an empty one. */
export function mappingIn(value: Json | undefined): JsonObject {
  return isMapping(value) ? (value as JsonObject) : {};
}

/** The mappings of a list. */
export function mappingsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isMapping(one)) : [];
}

/** Of a number, or its text, which templates write. */
function numberOf(value: Json | undefined, otherwise = 0): number {
  const number = value === undefined || value === '' || typeof value === 'object' ? NaN : Number(value);
  return Number.isFinite(number) ? number : otherwise;
}
