/** Liveness of the process, and readiness of its dependencies. */
import { z } from 'zod';
import { FacadeError } from '../http/errors';
import { ok, type Route, route } from '../http/route';
import { type FacadeServices } from '../services';

const alive = z.object({ status: z.literal('ok'), version: z.string() });

export function health({ client, database, version }: FacadeServices): readonly Route[] {
  const live = (path: `/${string}`, alias?: boolean): Route =>
    route(`GET ${path}`, {
      scope: 'public',
      summary: 'The process is alive',
      answers: ok('It does', alive),
      alias,
      handle: () => ({ status: 'ok', version }),
    });
  return [
    live('/api/health'),
    live('/health', true),
    live('/api/health/live', true),
    route('GET /api/health/ready', {
      scope: 'public',
      summary: 'Temporal and the database respond',
      answers: ok('They do', alive),
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
