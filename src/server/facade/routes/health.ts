/** Liveness of the process, and readiness of its dependencies. */
import { z } from 'zod';
import { temporalAnswers, whoIsAway } from '../../../temporal/client';
import { type FacadeServices } from '../services';
import { okAnswer, route, type FacadeRoute, FacadeError } from './declare';

const alive = z.object({ status: z.literal('ok'), version: z.string() });

const AWAY = {
  temporal: { code: 'TEMPORAL_UNREACHABLE', message: 'the Temporal server does not respond' },
  database: { code: 'DATABASE_UNREACHABLE', message: 'the database does not respond' },
} as const;

export function health({ client, database, version }: FacadeServices): readonly FacadeRoute[] {
  const live = (path: `/${string}`, alias?: boolean): FacadeRoute =>
    route(`GET ${path}`, {
      scope: 'public',
      summary: 'The process is alive',
      answers: okAnswer('It does', alive),
      alias,
      handle: () => ({ status: 'ok', version }),
    });
  const away = whoIsAway({
    temporal: () => temporalAnswers(client.connection, client.options.namespace),
    database: () => database.ping(),
  });
  return [
    live('/api/health'),
    live('/health', true),
    live('/api/health/live', true),
    route('GET /api/health/ready', {
      scope: 'public',
      summary: 'Temporal and the database respond now',
      answers: okAnswer('They do', alive),
      async handle() {
        const [first] = await away();
        if (first) throw new FacadeError(503, AWAY[first].code, AWAY[first].message);
        return { status: 'ok', version };
      },
    }),
  ];
}
