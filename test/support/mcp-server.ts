/** An MCP server over streamable HTTP, of the official SDK, and ways in which such a server goes wrong. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type JsonObject } from '../../src/language/plan';
import { ROOT } from './process';

/** The same tools as a process. */
export const STDIO_SERVER = path.join(ROOT, 'test/support/mcp-tools.cjs');

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly message: JsonObject | undefined;
}

export interface McpTestServer {
  /** `/mcp` answers by streams, `/json` by JSON, `/stateless` has no sessions. */
  readonly origin: string;
  readonly heard: Heard[];
  /** `started` and `cancelled` of the tool `slow`. */
  readonly told: string[];
  /** Sessions that are open. */
  sessions(): number;
  /** What answers next to a message of this method instead of the server. */
  instead(
    method: string,
    answer: (response: http.ServerResponse, message: JsonObject) => void,
    times?: number,
  ): void;
  stop(): Promise<void>;
}

interface Tools {
  toolServer(told: (what: string) => void): {
    connect(transport: unknown): Promise<void>;
    close(): Promise<void>;
  };
}

export async function startMcpServer(): Promise<McpTestServer> {
  const { toolServer } = jest.requireActual<Tools>('./mcp-tools.cjs');
  const heard: Heard[] = [];
  const told: string[] = [];
  const open = new Map<string, StreamableHTTPServerTransport>();
  const instead = new Map<
    string,
    { answer: (response: http.ServerResponse, message: JsonObject) => void; times: number }
  >();

  const transportFor = async (
    where: string,
    id: string | undefined,
  ): Promise<StreamableHTTPServerTransport> => {
    const known = id === undefined ? undefined : open.get(id);
    if (known) return known;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: where === '/stateless' ? undefined : randomUUID,
      enableJsonResponse: where === '/json',
      onsessioninitialized: (made) => void open.set(made, transport),
      onsessionclosed: (made) => void open.delete(made),
    });
    await toolServer((what) => void told.push(what)).connect(transport);
    return transport;
  };

  const server = http.createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const piece of request) body += String(piece);
      const message = body === '' ? undefined : (JSON.parse(body) as JsonObject);
      heard.push({ method: request.method!, path: request.url!, headers: request.headers, message });
      const other = instead.get(String(message?.['method'] ?? request.method));
      if (other && other.times-- > 0) return other.answer(response, message ?? {});
      const { pathname } = new URL(request.url!, 'http://x');
      const id = request.headers['mcp-session-id'] as string | undefined;
      if (id !== undefined && !open.has(id)) return void response.writeHead(404).end('{}');
      const transport = await transportFor(pathname, id);
      await transport.handleRequest(request, response, message);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    told,
    sessions: () => open.size,
    instead: (method, answer, times = 1) => void instead.set(method, { answer, times }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...open.values()].map((one) => one.close()));
    },
  };
}
