/** Liveness of the process, and readiness of its dependencies. */
import { z } from 'zod';
import { FacadeError } from '../http/errors';
import { type Route, route } from '../http/route';
import { type FacadeServices } from '../services';

const ok = z.object({ status: z.literal('ok'), version: z.string() });

export function health({ client, database, version }: FacadeServices): readonly Route[] {
  const live = (path: string, alias?: boolean): Route =>
    route({
      method: 'get',
      path,
      scope: 'public',
      tag: 'health',
      summary: 'The process is alive',
      answers: { 200: { description: 'It does', body: ok } },
      alias,
      handle: () => ({ status: 'ok', version }),
    });
  return [
    live('/api/health'),
    live('/health', true),
    live('/api/health/live', true),
    route({
      method: 'get',
      path: '/api/health/ready',
      scope: 'public',
      tag: 'health',
      summary: 'Temporal and the database respond',
      answers: { 200: { description: 'They do', body: ok } },
      async handle() {
        await client.connection.ensureConnected().catch(() => {
          throw new FacadeError(503, 'TEMPORAL_UNREACHABLE', 'the Temporal server does not respond');
        });
        await database.ping().catch(() => {
          throw new FacadeError(503, 'DATABASE_UNREACHABLE', 'the database does not respond');
        });
        return { status: 'ok', version };
      },
    }),
  ];
}
