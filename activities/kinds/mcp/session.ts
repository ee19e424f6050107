/** One conversation with a server, through the official client: it is opened for a task, and closed with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js' with { 'resolution-mode': 'import' };
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js' with {
  'resolution-mode': 'import',
};
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js' with {
  'resolution-mode': 'import',
};
import { type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { appendAll } from '../../../src/language/plan/append';
import { headersOf, requestBase } from '../../framework/http/request';
import { mappingField, numberField, textField } from '../../framework/tool/fields';
import { toolPackage } from '../../framework/tool/optional-package';
import { unlessStopped } from '../../framework/tool/unless-stopped';
import { tooLargeResponse } from './failure';
import { senderOf } from './over-http';
import { processLink } from './over-stdio';
import { type Conversation, type LinkLimits, type McpServer } from './server';

const PACKAGE = '@modelcontextprotocol/sdk';
const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Limit for the last messages to a server: a call was cancelled, the session is over. */
const FAREWELL_MS = 2000;

/** An open session. */
export interface Session {
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** The server's description of itself. */
  readonly initialize: JsonObject;
  readonly maxResponseBytes: number;
}

/** A transport, and how it ends other than by the client. */
interface Link {
  readonly transport: Transport;
  readonly meta: JsonObject;
  /** Tells the server that the session is over. */
  leave?(): Promise<void>;
}

/**
 * @returns the value of `work`, and the sandbox for the outcome
 * @throws ToolError, errors of the client; never before the session is closed
 */
export async function withMcpSession<T>(
  server: McpServer,
  about: Conversation,
  work: (session: Session) => Promise<T>,
): Promise<{ readonly value: T; readonly meta: JsonObject }> {
  const { call, context, deadline } = about;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  const client = await clientOf(call);
  const maxResponseBytes = numberField(call, ['max_response_bytes'], DEFAULT_MAX_RESPONSE_BYTES);
  const link = await linkTo(server, about, { maxResponseBytes, fail });
  const farewells = settled(link.transport, textField(call, 'protocol_version'));
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const options: RequestOptions = {
    signal: deadline.signal,
    // The deadline ends the call.
    timeout: 2 ** 31 - 1,
    onprogress: ({ progress, total }) => context.heartbeat({ progress, total: total ?? null }),
  };
  const talk = async (): Promise<T> => {
    await client.connect(link.transport, options);
    return work({
      initialize: initializeOf(client, link.transport),
      maxResponseBytes,
      request: async (method, params) =>
        (await client.request({ method, params } as never, ResultSchema, options)) as JsonObject,
    });
  };
  try {
    const value = await unlessStopped(Promise.race([talk(), failed]), deadline);
    return { value, meta: link.meta };
  } finally {
    const end = new AbortController();
    const all = Promise.allSettled([farewells(), link.leave?.()]);
    await Promise.race([all, sleep(FAREWELL_MS, undefined, { signal: end.signal }).catch(() => undefined)]);
    end.abort();
    await client.close().catch(() => undefined);
    // A client that never connected does not close its transport.
    await link.transport.close().catch(() => undefined);
  }
}

async function clientOf(call: TaskCall): Promise<Client> {
  const { Client } = await toolPackage(
    'mcp',
    PACKAGE,
    () => import('@modelcontextprotocol/sdk/client/index.js'),
  );
  return new Client(
    {
      name: textField(call, 'client_name') ?? 'noetl-worker',
      version: textField(call, 'client_version') ?? '1.0.0',
    },
    { capabilities: mappingField(call, 'capabilities') ?? {} },
  );
}

async function linkTo(server: McpServer, about: Conversation, limits: LinkLimits): Promise<Link> {
  const { call, context, deadline } = about;
  if ('command' in server) return processLink(server.command, about, limits);
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const base = await requestBase(call, context, deadline);
  const { digitsLost } = context;
  const sender = senderOf({ base, headers: headersOf(call), digitsLost, ...limits });
  const transport = new StreamableHTTPClientTransport(server.endpoint, { fetch: sender });
  return { transport: transport as Transport, meta: {}, leave: () => transport.terminateSession() };
}

/**
 * Follows what the client sends without an answer, and asks for the author's version of the protocol.
 *
 * @returns a function that resolves when all of it is sent
 */
function settled(transport: Transport, version: string | undefined): () => Promise<unknown> {
  const sent = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (version !== undefined && 'method' in message && message.method === 'initialize')
      Object.assign(message.params as object, { protocolVersion: version });
    const sending = send(message, options);
    if (!('id' in message)) sent.add(sending);
    return sending;
  };
  return () => Promise.allSettled(sent);
}

function initializeOf(client: Client, transport: Transport): JsonObject {
  const version = (transport as { protocolVersion?: string }).protocolVersion;
  return JSON.parse(
    JSON.stringify({
      protocolVersion: version,
      serverInfo: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
  ) as JsonObject;
}

/** All pages of a list. @throws ToolError `RESPONSE_TOO_LARGE` if together they exceed the limit of one response */
export async function allPages(session: Session, method: string, params: JsonObject): Promise<JsonObject> {
  const key = method.split('/')[0]!;
  const { nextCursor, ...first } = await session.request(method, params);
  const all: Json[] = [];
  const seen = new Set<Json | undefined>([undefined, null]);
  let bytes = 0;
  for (let [page, cursor] = [first, nextCursor]; ;) {
    const list = page[key];
    if (Array.isArray(list)) appendAll(all, list);
    if (seen.has(cursor)) return { ...first, [key]: all };
    bytes += Buffer.byteLength(JSON.stringify(page));
    if (bytes > session.maxResponseBytes) throw tooLargeResponse(session.maxResponseBytes);
    seen.add(cursor);
    page = await session.request(method, { ...params, cursor: cursor! });
    cursor = page['nextCursor'];
  }
}
