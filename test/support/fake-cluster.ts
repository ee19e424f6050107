/** The Kubernetes API as far as the kind `container` uses it: Jobs, their pods, logs and events, at will. */
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo } from 'node:net';
import type {
  CoreV1Event,
  V1ContainerStatus,
  V1JobCondition,
  V1PodStatus,
} from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { type JsonObject } from '../../src/language/plan';

export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  /** No answer at all. */
  readonly hang?: true;
}

interface Asked {
  readonly url: URL;
  readonly body: string;
  readonly name: string;
}

type Handler = (asked: Asked) => Answer | undefined;

export interface SeenRequest {
  /** With `*` for the names of a namespace and of an object. */
  readonly route: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

type PodStatus = Omit<V1PodStatus, 'containerStatuses'> & {
  readonly containerStatuses?: readonly Partial<V1ContainerStatus>[];
};

const container = (state: V1ContainerStatus['state'], restartCount = 0): PodStatus => ({
  containerStatuses: [{ name: 'main', restartCount, state }],
});

/** What a pod may look like. */
export const pods = {
  pending: (message: string): PodStatus => ({
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  }),
  waiting: (reason: string, message = ''): PodStatus => ({
    phase: 'Pending',
    ...container({ waiting: { reason, message } }),
  }),
  running: (restarts = 0): PodStatus => ({ phase: 'Running', ...container({ running: {} }, restarts) }),
  ended: (exitCode: number, reason?: string, more: PodStatus = {}): PodStatus => ({
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    ...container({ terminated: { exitCode, reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error') } }),
    ...more,
  }),
};

export class FakeCluster {
  readonly jobs = new Map<string, JsonObject>();
  readonly configMaps = new Map<string, JsonObject>();
  readonly requests: SeenRequest[] = [];
  /** By `METHOD route`: instead of the usual answer, unless it returns nothing. */
  readonly answers: Record<string, Handler> = {};
  /** How the pods of a Job look, at one list of them after the other; the last stays. Several: newest last. */
  scene: readonly (PodStatus | readonly PodStatus[])[] = [pods.running(), pods.ended(0)];
  /** What a container says; a log stays open while its pod is seen to run. */
  stdout = '';
  conditions: readonly V1JobCondition[] = [];
  events: readonly Partial<CoreV1Event>[] = [];
  /** How many logs break off in the middle first. */
  brokenLogs = 0;

  private at = 0;
  private readonly open = new Set<http.ServerResponse>();

  private constructor(
    private readonly server: http.Server | https.Server,
    readonly url: string,
  ) {}

  /** @param tls for https */
  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<FakeCluster> {
    const server = tls ? https.createServer(tls) : http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const cluster = new FakeCluster(server, `${tls ? 'https' : 'http'}://127.0.0.1:${port}`);
    server.on('request', (request, response) => void cluster.handle(request, response));
    return cluster;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** A Job that a worker left behind. */
  leave(name: string, labels: Readonly<Record<string, string>>, more: JsonObject = {}): void {
    this.jobs.set(name, { metadata: { name, labels: { ...labels }, uid: `uid-of-${name}`, ...more } });
  }

  routes(pattern: RegExp): string[] {
    return this.requests.map(({ route }) => route).filter((route) => pattern.test(route));
  }

  private async handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, this.url);
    const [, path = '', name = ''] =
      /^(\/apis?\/[^?]*?\/namespaces\/[^/]+\/[a-z]+)(?:\/([^/]+))?/.exec(url.pathname) ?? [];
    const kind = path.split('/').at(-1)!;
    const isLog = url.pathname.endsWith('/log');
    const route = `${request.method} ${kind}${name && '/*'}${isLog ? '/log' : ''}`;
    const body = Buffer.concat(chunks).toString();
    const { authorization } = request.headers;
    this.requests.push({ route, url: request.url!, authorization, body });
    const asked = { url, body, name };
    const answer = this.answers[route]?.(asked);
    if (!answer && isLog) return this.log(response);
    const { status, json, hang } = answer ?? this.usual(route, asked);
    if (hang) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json ?? {}));
  }

  private usual(route: string, { url, body, name }: Asked): Answer {
    switch (route) {
      case 'GET jobs': {
        const [key, value] = url.searchParams.get('labelSelector')!.split('=');
        const labels = (job: JsonObject) => (job['metadata'] as { labels: Record<string, string> }).labels;
        const items = [...this.jobs.values()].filter((job) => labels(job)[key!] === value);
        return { status: 200, json: { items } };
      }
      case 'POST jobs': {
        const { metadata } = JSON.parse(body) as {
          metadata: { name: string; labels: Record<string, string> };
        };
        this.leave(metadata.name, metadata.labels);
        return { status: 201, json: this.jobs.get(metadata.name) };
      }
      case 'POST configmaps': {
        const map = JSON.parse(body) as JsonObject;
        this.configMaps.set((map['metadata'] as { name: string }).name, map);
        return { status: 201, json: map };
      }
      case 'GET jobs/*': {
        const job = this.jobs.get(name);
        return job
          ? { status: 200, json: { ...job, status: { conditions: this.conditions } } }
          : refusal(404, `jobs.batch "${name}" not found`);
      }
      case 'DELETE jobs/*':
        this.jobs.delete(name);
        return { status: 200, json: { kind: 'Status', status: 'Success' } };
      case 'GET pods':
        return { status: 200, json: { items: this.listed() } };
      case 'GET events':
        return { status: 200, json: { items: this.events } };
      default:
        return refusal(501, `the fake has no ${route}`);
    }
  }

  private listed(): object[] {
    const now = this.scene[Math.min(this.at++, this.scene.length - 1)];
    const statuses = now === undefined ? [] : Array.isArray(now) ? (now as PodStatus[]) : [now as PodStatus];
    const runs = statuses.some((one) => one.containerStatuses?.[0]?.state?.running);
    if (!runs) for (const response of this.open) response.end();
    return statuses.map((status, index) => ({
      metadata: { name: `pod-${index}`, creationTimestamp: new Date(index * 1000).toISOString() },
      status,
    }));
  }

  private log(response: http.ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (this.brokenLogs-- > 0) {
      response.write(this.stdout.slice(0, this.stdout.length / 2), () => response.destroy());
      return;
    }
    response.write(this.stdout);
    const last = this.scene[Math.min(this.at, this.scene.length) - 1];
    const runs = !Array.isArray(last) && (last as PodStatus).containerStatuses?.[0]?.state?.running;
    if (!runs) return void response.end();
    this.open.add(response);
    response.on('close', () => this.open.delete(response));
  }
}

/** As the API says no. */
export function refusal(code: number, message: string, reason = ''): Answer {
  return {
    status: code,
    json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code },
  };
}
