/** Sessions of assistants over streamable HTTP: each has a server of its own, and ends with its token, its silence or this process. */
import { randomUUID } from 'node:crypto';
import type { StreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/streamableHttp.js' with {
  'resolution-mode': 'import',
};
import { type Request, type Response } from 'express';
import { ASSISTANT_TOOLS, assistantServer, ExposedCatalog, type McpServer } from '../../../service/assistant';
import { FacadeError } from '../http/errors';
import { type Principal } from '../http/route';
import { SCOPES } from '../http/scopes';
import { type FacadeServices } from '../services';
import { type AssistantDesk } from './desk';

/** Of all, and of one token. */
const MOST = 500;
const MOST_OF_ONE = 50;
const SILENT_MS = 30 * 60_000;
const LOOK_MS = 2_000;
const OWN_NAMES: ReadonlySet<string> = new Set(ASSISTANT_TOOLS.map(({ name }) => name));
const HERE: Principal = { name: 'local', scopes: SCOPES };

interface Session {
  readonly server: McpServer;
  readonly transport: Transport;
  /** As the last request authenticated it: scopes may have changed. */
  principal: Principal;
  at: number;
  /** Requests under way. */
  busy: number;
}

export class AssistantSessions {
  private readonly all = new Map<string, Session>();
  private readonly catalog = new ExposedCatalog();
  private timer: NodeJS.Timeout | undefined;
  private signature: string | undefined;

  constructor(
    private readonly services: Pick<FacadeServices, 'version' | 'report'>,
    private readonly desk: AssistantDesk,
  ) {}

  /** @throws FacadeError 404 for a session that there is not (the client begins another), 429 if there are too many */
  async handle(principal: Principal, request: Request, response: Response, body?: unknown): Promise<void> {
    const id = request.get('mcp-session-id');
    const session = id === undefined ? await this.begin(principal) : this.all.get(id);
    if (session?.principal.name !== principal.name)
      throw new FacadeError(
        404,
        'NO_SESSION',
        'there is no such session: it has ended, or is one of another token or server; initialize again',
      );
    session.principal = principal;
    session.at = Date.now();
    session.busy++;
    response.once('close', () => {
      session.busy--;
      session.at = Date.now();
    });
    await session.transport.handleRequest(request, response, body);
    // What is no beginning made no session.
    if (id === undefined && session.transport.sessionId === undefined) await session.server.close();
  }

  close(): void {
    clearInterval(this.timer);
    for (const { server } of this.all.values()) void server.close();
    this.all.clear();
    this.desk.close();
  }

  private async begin(principal: Principal): Promise<Session> {
    this.makeRoom(principal.name);
    const { StreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.all.set(id, session);
        this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
      },
      onsessionclosed: (id) => void this.all.delete(id),
    });
    const server = await this.serverFor(() => session.principal);
    const session: Session = { server, transport, principal, at: Date.now(), busy: 0 };
    transport.onclose = () =>
      void (transport.sessionId !== undefined && this.all.delete(transport.sessionId));
    await server.connect(transport as never);
    return session;
  }

  /** Many clients leave without a word: their sessions end for others. @throws FacadeError 429 if all are in use */
  private makeRoom(name: string): void {
    const own = [...this.all.values()].filter(({ principal }) => principal.name === name);
    const crowd = own.length >= MOST_OF_ONE ? own : this.all.size >= MOST ? [...this.all.values()] : [];
    if (crowd.length === 0) return;
    const [oldest] = crowd.filter(({ busy }) => busy === 0).sort((a, b) => a.at - b.at);
    if (oldest) return void oldest.server.close();
    const message = `${crowd.length} sessions are in use here: end some (DELETE), or wait`;
    throw new FacadeError(429, 'TOO_MANY_SESSIONS', message);
  }

  private serverFor(principalOf: () => Principal): Promise<McpServer> {
    const { desk, catalog } = this;
    const { version, report } = this.services;
    const reach = (assistant: string): ReturnType<AssistantDesk['reach']> =>
      desk.reach(principalOf(), assistant);
    return assistantServer({
      version,
      reach,
      report,
      may: (scope) => principalOf().scopes.includes(scope),
      perform: (tool, input, assistant) => desk.perform(tool, input, { principal: principalOf(), assistant }),
      exposed: (assistant) => catalog.list(reach(assistant), OWN_NAMES),
    });
  }

  /** Ends silent sessions; tells the others when other playbooks are offered as tools. */
  private async look(): Promise<void> {
    for (const { server, at, busy } of this.all.values())
      if (busy === 0 && Date.now() - at > SILENT_MS) void server.close();
    if (this.all.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.signature = undefined;
      return;
    }
    const now = await this.catalog.signature(this.desk.reach(HERE, '')).catch(() => this.signature);
    if (this.signature !== undefined && now !== this.signature)
      for (const { server } of this.all.values()) server.sendToolListChanged().catch(() => undefined);
    this.signature = now;
  }
}
