/** Health endpoint of a process without a REST API: liveness, readiness, metrics. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Connection } from '@temporalio/client';
import { timingSafeEqual } from 'node:crypto';
import { EnvironmentError } from '../../language/errors';
import { temporalAnswers, whoIsAway } from '../../temporal/client';
import { type RunningWorkers } from '../../temporal/worker';

/** Of `healthOptions`. */
export interface HealthFlags {
  /** 0 for any. */
  readonly healthPort?: number;
  readonly healthHost: string;
}

export interface HealthOptions {
  /** Called for each request. */
  readonly ready: () => Readiness | Promise<Readiness>;
  /** In Prometheus' format. */
  readonly metrics: () => Promise<string>;
}

export interface Readiness {
  /** `ok`, or why the process is not ready. */
  readonly status: string;
  /** Further details. */
  readonly [more: string]: unknown;
}

export interface Health {
  readonly port: number;
  /** Marks this process as not ready while it drains. */
  draining(): void;
  close(): void;
}

const JSON_TYPE = 'application/json';
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface HealthAnswer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

/** Undefined without a port. @throws EnvironmentError `PORT_IN_USE` */
export async function serveHealth(
  { healthPort: port, healthHost: host }: HealthFlags,
  { ready, metrics }: HealthOptions,
): Promise<Health | undefined> {
  if (port === undefined) return undefined;
  let isDraining = false;
  const answers: Record<string, (request: http.IncomingMessage) => HealthAnswer | Promise<HealthAnswer>> = {
    '/health/live': () => json(200, { status: 'ok' }),
    '/health/ready': async () => {
      const body = { ...(await ready()), ...(isDraining && { status: 'draining' }) };
      return json(body.status === 'ok' ? 200 : 503, body);
    },
    '/metrics': async (request) => {
      if (mayMeasure(request, process.env.NOETL_METRICS_TOKEN))
        return { status: 200, type: METRICS_TYPE, body: await metrics() };
      return json(401, {
        error: 'requests from other machines need the bearer token in NOETL_METRICS_TOKEN',
      });
    },
  };
  const server = http.createServer((request, response) => {
    const answer = answers[(request.url ?? '').split('?')[0]!];
    const pending = answer
      ? Promise.resolve(answer(request))
      : Promise.resolve(json(404, { error: 'no such page' }));
    pending.then(
      ({ status, type = JSON_TYPE, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const fix = ['Choose another port with --health-port.'];
      reject(new EnvironmentError('PORT_IN_USE', `--health-port ${port}: ${error.message}`, fix));
    });
    server.listen(port, host, resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  process.stderr.write(`health on port ${listening}: /health/live, /health/ready, /metrics\n`);
  return {
    port: listening,
    draining: () => void (isDraining = true),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function json(status: number, body: object): HealthAnswer {
  return { status, body: JSON.stringify(body) };
}

/** From other machines only with the token; without one nobody has it. */
function mayMeasure(request: http.IncomingMessage, token: string | undefined): boolean {
  const from = request.socket.remoteAddress ?? '';
  if (/^(::ffff:)?127\.|^::1$/.test(from)) return true;
  const shown = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return Boolean(token) && shown.length === expected.length && timingSafeEqual(shown, expected);
}

/**
 * For a process with workers: ready while they have not ended and Temporal answers, for without it they get no tasks.
 *
 * @param connection of the workers
 */
export function readinessOf(
  workers: Pick<RunningWorkers, 'done' | 'status'>,
  connection: Pick<Connection, 'workflowService' | 'withDeadline'>,
  namespace: string,
): () => Promise<Readiness> {
  let hasEnded = false;
  const end = (): void => void (hasEnded = true);
  workers.done.then(end, end);
  const away = whoIsAway({ temporal: () => temporalAnswers(connection, namespace) });
  return async () => {
    const isAway = (await away()).length > 0;
    const status = hasEnded ? 'ended' : isAway ? 'away' : 'ok';
    return { status, queues: workers.status() };
  };
}
