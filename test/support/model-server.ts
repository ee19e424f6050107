/**
 * A model over HTTP, by the protocol alone: what it answers is scripted, what it is asked is checked as strictly as the
 * public documentation of the Messages API allows. It refuses what it should not have been asked, as that API does.
 */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type JsonObject } from '../../src/language/plan';

export const MODEL_KEY = 'sk-test-0a1b2c3d4e5f';

export interface ModelAsked {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  /** Number of the request, from 1. */
  readonly number: number;
}

/** A message, or a failure; null never answers. */
export type ModelAnswer =
  | { readonly content: readonly JsonObject[]; readonly stop_reason?: string; readonly usage?: JsonObject }
  | { readonly status: number; readonly type?: string; readonly headers?: Record<string, string> }
  | { readonly text: string }
  | null;

export interface ModelServer {
  readonly origin: string;
  readonly asked: ModelAsked[];
  /** What was wrong with requests; empty when all were right. */
  readonly wrong: string[];
  /** Decides the answers. */
  script(answer: (asked: ModelAsked) => ModelAnswer | Promise<ModelAnswer>): void;
  stop(): Promise<void>;
}

export const say = (text: string, more: JsonObject = {}): Extract<ModelAnswer, { content: unknown }> => ({
  content: [{ type: 'text', text }],
  ...more,
});

let uses = 0;

/** A turn that calls tools: `use(['lookup', {city: 'Oslo'}], …)`. */
export const use = (
  ...calls: readonly (readonly [name: string, input: unknown])[]
): Extract<ModelAnswer, { content: unknown }> => ({
  content: [
    { type: 'text', text: 'I look it up.' },
    ...calls.map(([name, input]) => ({ type: 'tool_use', id: `toolu_${++uses}`, name, input }) as JsonObject),
  ],
  stop_reason: 'tool_use',
});

/** What the last message says of the tools: their contents, with `!` before those that failed. */
export function toolAnswers({ messages }: ModelAsked): string[] {
  const { content } = messages.at(-1)!;
  if (!Array.isArray(content)) return [];
  return (content as JsonObject[]).flatMap((one) =>
    one['type'] === 'tool_result' ? [`${one['is_error'] === true ? '!' : ''}${String(one['content'])}`] : [],
  );
}

export async function startModelServer(): Promise<ModelServer> {
  const asked: ModelAsked[] = [];
  const wrong: string[] = [];
  const answered = new Set<string>();
  let answerOf: (one: ModelAsked) => ModelAnswer | Promise<ModelAnswer> = () => say('done');

  const server = http.createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const piece of request) text += String(piece);
      const json = (status: number, body: unknown, headers: Record<string, string> = {}): void =>
        void response
          .writeHead(status, {
            'content-type': 'application/json',
            'request-id': `req_${asked.length}`,
            ...headers,
          })
          .end(JSON.stringify(body));
      const fails = (status: number, type: string, message: string, headers = {}): void =>
        json(status, { type: 'error', error: { type, message } }, headers);
      const { headers, method, url } = request;
      if (method !== 'POST' || url !== '/v1/messages')
        return fails(404, 'not_found_error', `${method} ${url}`);
      const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
      if (key !== MODEL_KEY) return fails(401, 'authentication_error', 'invalid x-api-key');
      const body = JSON.parse(text) as JsonObject;
      const messages = Array.isArray(body['messages']) ? (body['messages'] as JsonObject[]) : [];
      const one: ModelAsked = { headers, body, messages, number: asked.length + 1 };
      asked.push(one);
      const problems = [...wrongHeaders(headers), ...wrongBody(body), ...wrongMessages(messages, answered)];
      wrong.push(...problems);
      if (problems.length > 0) return fails(400, 'invalid_request_error', problems.join('; '));
      if (body['model'] === 'no-such-model') return fails(404, 'not_found_error', 'model: no-such-model');
      const answer = await answerOf(one);
      if (answer === null) return;
      if ('text' in answer)
        return void response.writeHead(200, { 'content-type': 'text/html' }).end(answer.text);
      if ('status' in answer) {
        const { status, type = 'api_error' } = answer;
        return fails(status, type, `scripted ${status}`, answer.headers);
      }
      for (const block of answer.content) answered.add(JSON.stringify(block));
      json(200, {
        id: `msg_${asked.length}`,
        type: 'message',
        role: 'assistant',
        model: body['model'],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 5 },
        ...answer,
      });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    wrong,
    script: (answer) => void (answerOf = answer),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function wrongHeaders(headers: http.IncomingHttpHeaders): string[] {
  return [
    ...(headers['anthropic-version'] === '2023-06-01' ? [] : ['anthropic-version: is required']),
    ...(headers['content-type'] === 'application/json' ? [] : ['content-type: must be application/json']),
  ];
}

const FIELDS = new Set(
  'model max_tokens messages system temperature tools thinking output_config tool_choice metadata stop_sequences stream top_k top_p service_tier'.split(
    ' ',
  ),
);

function wrongBody(body: JsonObject): string[] {
  const found = Object.keys(body).flatMap((key) =>
    FIELDS.has(key) ? [] : [`${key}: Extra inputs are not permitted`],
  );
  if (typeof body['model'] !== 'string' || body['model'] === '')
    found.push('model: Input should be a string');
  if (!Number.isInteger(body['max_tokens']) || Number(body['max_tokens']) < 1)
    found.push('max_tokens: Input should be a positive integer');
  if ('system' in body && (typeof body['system'] !== 'string' || body['system'] === ''))
    found.push('system: Input should be a valid string');
  if ('temperature' in body && !(Number(body['temperature']) >= 0 && Number(body['temperature']) <= 1))
    found.push('temperature: range: 0..1');
  for (const tool of (body['tools'] ?? []) as JsonObject[]) {
    const extra = Object.keys(tool).filter(
      (key) => !/^(name|description|input_schema|cache_control)$/.test(key),
    );
    if (extra.length > 0) found.push(`tools: ${extra.join()}: Extra inputs are not permitted`);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool['name']))) found.push('tools.name: String should match');
    if ((tool['input_schema'] as JsonObject | undefined)?.['type'] !== 'object')
      found.push('tools.input_schema.type: Input should be object');
  }
  return found;
}

/** Roles take turns, beginning with the user; each call of a tool is answered once, in the next message, and first in it. */
function wrongMessages(messages: readonly JsonObject[], answered: ReadonlySet<string>): string[] {
  if (messages.length === 0) return ['messages: at least one message is required'];
  const found: string[] = [];
  const known = new Set<string>();
  let open: string[] = [];
  let marks = 0;
  messages.forEach(({ role, content }, index) => {
    const at = `messages.${index}`;
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) found.push(`${at}: roles must alternate`);
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as JsonObject[]);
    if (blocks.length === 0) found.push(`${at}: content must not be empty`);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const ids = results.map((one) => String(one['tool_use_id']));
    if ([...ids].sort().join() !== [...open].sort().join())
      found.push(`${at}: tool_use ids ${open.join()} need exactly one tool_result each, not ${ids.join()}`);
    if (results.some((one, place) => blocks[place] !== one))
      found.push(`${at}: tool_result blocks come first`);
    open = [];
    for (const { cache_control: mark, ...block } of blocks) {
      if (mark !== undefined) marks++;
      if (block['type'] === 'text' && !String(block['text'] ?? '').trim())
        found.push(`${at}: text content blocks must be non-empty`);
      if (block['type'] === 'tool_result' && typeof block['content'] !== 'string')
        found.push(`${at}: tool_result.content: Input should be a string`);
      if (role !== 'assistant') continue;
      if (!answered.has(JSON.stringify(block)))
        found.push(`${at}: the model did not say ${JSON.stringify(block)}`);
      if (block['type'] !== 'tool_use') continue;
      const id = String(block['id']);
      if (known.has(id)) found.push(`${at}: tool_use ids must be unique`);
      known.add(id);
      open.push(id);
    }
  });
  if (open.length > 0) found.push(`tool_use ids ${open.join()} have no tool_result`);
  if (marks > 4) found.push('a maximum of 4 blocks with cache_control may be provided');
  return found;
}
