/** Agents: a model that calls playbooks as its tools. A task of this kind is one turn of it (docs/tools/agent.md). */
import { isMapping, type Json } from '../../plan/json';
import { agentTurn, mappingIn, mappingsIn } from '../agent-turn';
import { HTTP_LOGINS } from '../credentials';
import { type FieldType, type KindDeclaration, type KindMock } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';

/** A name as the Messages API takes it. */
const TOOL: FieldType = {
  shape: () => ({
    title: 'a tool of an agent',
    others: 'warning',
    fields: {
      name: { type: 'name', doc: 'Its name for the model.', required: true },
      description: { type: 'text', doc: 'What it does: the model decides by this.' },
      input_schema: {
        type: { either: ['template', 'mapping'] },
        doc: 'The JSON Schema of its input; the input is checked against it.',
      },
      playbook: { type: 'text', doc: 'The `metadata.path` or the file of the playbook.', required: true },
      version: { type: 'text', doc: 'Its version; default the newest.' },
      return_step: { type: 'text', doc: 'The step whose result the model gets.' },
      timeout: { type: 'limit', doc: 'Seconds to wait for it.' },
    },
  }),
};

const isCall = (value: Json): boolean =>
  isMapping(value) && typeof value['name'] === 'string' && isMapping(value['input'] ?? {});

const MOCK: KindMock = {
  words: {
    text: 'The text of the answer.',
    calls: 'The tools that the model calls, `[{name, input}]`: another turn follows.',
    stop_reason: 'Default `end_turn`, with calls `tool_use`.',
    usage: 'Tokens: `{input_tokens, output_tokens}`.',
  },
  least: { text: '' },
  failure: 'connection',
  wrong: (word, value) => {
    if (word === 'usage') return isMapping(value) ? undefined : 'a mapping';
    if (word !== 'calls') return typeof value === 'string' ? undefined : 'a text';
    return Array.isArray(value) && value.every(isCall) ? undefined : 'a list of `{name, input}`';
  },
  bare: (value) => (typeof value === 'string' ? { text: value } : undefined),
  outcome: ({ text = '', calls = [], stop_reason, usage = {} }, { config, fail }) => {
    const uses = mappingsIn(calls).map(({ name = null, input = {} }, index) => ({
      type: 'tool_use',
      id: `call_${index + 1}`,
      name,
      input,
    }));
    const { result, error } = agentTurn(config, {
      content: [...(text === '' ? [] : [{ type: 'text', text }]), ...uses],
      stop_reason: String(stop_reason ?? (uses.length > 0 ? 'tool_use' : 'end_turn')),
      usage: mappingIn(usage),
    });
    if (error) return fail({ kind: 'exception', retryable: false, ...error }, result);
    return { status: 'ok', result, error: null, meta: {} };
  },
};

export const agentKind: KindDeclaration = {
  doc: 'Runs an agent: with `framework: claude` a model that calls playbooks, with `framework: noetl` a playbook.',
  closed: true,
  inputs: 'templates',
  fields: {
    framework: '`claude` or `noetl`.',
    model: 'With `claude`: the name of the model.',
    prompt: 'The message that begins the conversation.',
    system: 'The system prompt.',
    tools: 'Playbooks that the model may call: `[{name, description, input_schema, playbook}]`.',
    max_turns: 'The most calls of the model; default 8.',
    max_tokens: 'The most tokens of one answer; default 4096.',
    max_total_tokens:
      'The most tokens of all turns, read and written; no turn follows the one that reaches it.',
    temperature: 'The sampling temperature.',
    thinking: '`disabled` or `adaptive`; default that of the model.',
    effort: '`low`, `medium` or `high`; default that of the model.',
    prompt_cache: 'Whether the conversation is marked for the cache of the server; default true.',
    endpoint: 'The address before `/v1/messages`; default that of Anthropic.',
    ...AUTH,
    timeout: 'Seconds for one turn; default 300.',
    timeout_seconds: TIMEOUT.timeout_seconds,
    headers: 'More headers of the requests.',
    verify_ssl: 'Whether certificates are verified.',
    tls: 'As in `http`.',
    proxy: 'As in `http`.',
    max_response_bytes: 'The maximum size of an answer; default 32 MiB.',
    entrypoint: 'With `noetl`: the `metadata.path` of the playbook.',
    version: 'Its version; default the newest.',
    payload: 'Alias of `input`.',
    invoke_kwargs: 'Inputs that are laid over the payload.',
    wait_timeout_seconds: 'Seconds to wait for its end.',
  },
  types: {
    framework: { values: ['claude', 'noetl'] },
    model: 'text',
    prompt: 'text',
    system: 'text',
    tools: { list: TOOL },
    max_turns: 'count',
    max_tokens: 'count',
    max_total_tokens: 'count',
    temperature: 'amount',
    thinking: { words: ['disabled', 'adaptive'] },
    effort: 'text',
    prompt_cache: 'flag',
    entrypoint: 'text',
    invoke_kwargs: 'mapping',
    wait_timeout_seconds: 'limit',
  },
  required: [['framework']],
  exclusive: [
    ['timeout', 'timeout_seconds'],
    ['auth', 'credential'],
  ],
  strict: ['model', 'prompt', 'system', 'tools', 'endpoint', 'headers', 'auth', 'credential'],
  spec: { timeout: { connect: 10 } },
  uncached: 'has a conversation, which ends with its execution',
  concurrency: 100,
  credentials: HTTP_LOGINS,
  mock: MOCK,
  failures: [{ status: 529 }, { status: 429 }, { status: 400 }, { kind: 'connection' }],
  respondsOverHttp: true,
  hints: [
    [/^HTTP_(401|403)$/, 'the server rejected the key: check the `auth` of the task.'],
    [
      /^HTTP_(429|529)$/,
      'it was asked again as often as the kind does; a rule with `do: retry` waits longer.',
    ],
    [/^MAX_TURNS$/, 'raise `max_turns`, or give the model fewer things to do.'],
    [/^TOKEN_BUDGET$/, 'raise `max_total_tokens`; every turn reads the whole conversation again.'],
  ],
  timeout: 300,
  delivery: {
    killed: 'each answer that reached the worker counts once; a question whose answer did not is asked again',
  },
};
