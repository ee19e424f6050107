/** The Docker Engine API as far as the kind `container` uses it, on a socket: what an engine may answer, at will. */
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';

export interface FakeContainer {
  readonly id: string;
  readonly name: string;
  readonly options: Docker.ContainerCreateOptions;
  state: 'created' | 'running' | 'exited';
  archive?: Buffer;
}

interface Answer {
  readonly status: number;
  readonly json?: unknown;
  /** A body that is not JSON; without `end` it stays open. */
  readonly body?: Buffer;
  readonly hang?: true;
}

type Handler = (request: { url: URL; body: Buffer; id: string }) => Answer | undefined;

export class FakeEngine {
  readonly containers = new Map<string, FakeContainer>();
  readonly requests: string[] = [];
  /** By `METHOD /path`, with `*` for an id: instead of the usual answer, unless it returns nothing. */
  readonly answers: Record<string, Handler> = {};
  /** What every container says and how it ends; `undefined`: it does not end. */
  ends: { stdout?: string | Buffer; stderr?: string; code: number; oom?: boolean } | undefined = { code: 0 };

  private made = 0;

  private constructor(
    private readonly server: http.Server,
    readonly socketPath: string,
  ) {}

  static async start(): Promise<FakeEngine> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-engine-'));
    const server = http.createServer();
    const engine = new FakeEngine(server, path.join(folder, 'engine.sock'));
    server.on('request', (request, response) => void engine.handle(request, response));
    await new Promise<void>((resolve) => server.listen(engine.socketPath, resolve));
    return engine;
  }

  get client(): Docker {
    return new Docker({ socketPath: this.socketPath });
  }

  /** A container that a worker left behind. */
  leave(options: Docker.ContainerCreateOptions, state: FakeContainer['state']): FakeContainer {
    const container = {
      // Tools show the first twelve digits: the first and the tenth are not to be the same.
      id: `c${String(++this.made).padStart(11, '0')}`.padEnd(16, '0'),
      name: options.name ?? '',
      options,
      state,
    };
    this.containers.set(container.id, container);
    return container;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    fs.rmSync(path.dirname(this.socketPath), { recursive: true, force: true });
  }

  private async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, 'http://engine');
    const id = /^\/containers\/([^/]+)(\/|$)/.exec(url.pathname)?.[1] ?? '';
    const known = id !== '' && id !== 'json' && id !== 'create';
    const route = `${request.method} ${known ? url.pathname.replace(id, '*') : url.pathname}`;
    this.requests.push(route);
    const asked = { url, body: Buffer.concat(chunks), id };
    const answer = this.answerTo(route, asked);
    if (answer.hang && !answer.body) return;
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    if (answer.body) response.write(answer.body);
    if (answer.hang) return;
    response.end(answer.json === undefined ? undefined : JSON.stringify(answer.json));
  }

  /** A handler that fails is a server that fails: what never answers would be waited for. */
  private answerTo(route: string, asked: Parameters<Handler>[0]): Answer {
    try {
      return this.answers[route]?.(asked) ?? this.usual(route, asked);
    } catch (error) {
      return { status: 500, json: { message: `the fake failed: ${String(error)}` } };
    }
  }

  private usual(route: string, { url, body, id }: Parameters<Handler>[0]): Answer {
    const container = this.containers.get(id);
    if (route === 'GET /containers/json') return { status: 200, json: this.listed(url) };
    if (route === 'POST /containers/create') {
      const options = JSON.parse(body.toString()) as Docker.ContainerCreateOptions;
      const made = this.leave({ ...options, name: url.searchParams.get('name') ?? '' }, 'created');
      return { status: 201, json: { Id: made.id, Warnings: [] } };
    }
    if (route === 'POST /images/create')
      return { status: 200, body: Buffer.from('{"status": "Pull complete"}\n') };
    if (!container) return { status: 404, json: { message: `No such container: ${id}` } };
    switch (route) {
      case 'POST /containers/*/start':
        container.state = this.ends ? 'exited' : 'running';
        return { status: 204 };
      case 'PUT /containers/*/archive':
        container.archive = body;
        return { status: 200 };
      case 'GET /containers/*/logs':
        return { status: 200, body: this.output(), ...(this.ends ? {} : { hang: true }) };
      case 'POST /containers/*/wait':
        return this.ends
          ? { status: 200, json: { StatusCode: this.ends.code } }
          : { status: 200, hang: true };
      case 'GET /containers/*/json':
        return { status: 200, json: { Id: id, State: { OOMKilled: this.ends?.oom ?? false } } };
      case 'DELETE /containers/*':
        this.containers.delete(id);
        return { status: 204 };
      default:
        return { status: 501, json: { message: `the fake has no ${route}` } };
    }
  }

  private listed(url: URL): object[] {
    const { label = [] } = JSON.parse(url.searchParams.get('filters') ?? '{}') as { label?: string[] };
    return [...this.containers.values()]
      .filter(({ options }) => label.every((one) => one === this.labelOf(options, one.split('=')[0]!)))
      .map(({ id, state, options }) => ({ Id: id, State: state, Labels: options.Labels ?? {} }));
  }

  private labelOf(options: Docker.ContainerCreateOptions, name: string): string {
    return `${name}=${options.Labels?.[name] ?? ''}`;
  }

  /** Both streams as the engine sends them: a header of 8 bytes before each piece. */
  private output(): Buffer {
    const piece = (stream: number, text: string | Buffer): Buffer => {
      const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
      header.writeUInt32BE(Buffer.byteLength(text), 4);
      return Buffer.concat([header, Buffer.from(text)]);
    };
    return Buffer.concat([piece(1, this.ends?.stdout ?? ''), piece(2, this.ends?.stderr ?? '')]);
  }
}

/** One for each test of a file, as the engine of this worker (DOCKER_HOST). @returns the one of the test that runs */
export function fakeEngineForEach(): () => FakeEngine {
  const before = process.env['DOCKER_HOST'];
  let engine: FakeEngine;
  beforeEach(async () => {
    engine = await FakeEngine.start();
    process.env['DOCKER_HOST'] = `unix://${engine.socketPath}`;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
    await engine.stop();
  });
  return () => engine;
}
