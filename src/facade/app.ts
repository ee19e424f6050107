/**
 * The REST surface (DESIGN.md section 8). It keeps no run state of its own: what it says of a run is derived from the
 * run's Temporal history, so it may be killed at any time.
 */
import express, { type Express } from 'express';
import { type Client } from '@temporalio/client';
import { answerErrors, FacadeError, notFound } from './errors';
import { eventRoutes } from './events/routes';
import { executions } from './executions';
import { rerunRoutes } from './rerun';

export interface FacadeServices {
  readonly client: Client;
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void;
}

export function createFacade({ client, report }: FacadeServices): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    next();
  });
  app.use(express.json({ limit: '2mb' }));
  app.get(['/health', '/api/health', '/api/health/live'], (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/api/health/ready', async (_request, response) => {
    await client.connection.ensureConnected().catch(() => {
      throw new FacadeError(503, 'TEMPORAL_UNREACHABLE', 'the Temporal server does not answer');
    });
    response.json({ status: 'ok' });
  });
  app.use('/api/executions', eventRoutes(client), rerunRoutes(client), executions(client));
  app.use(notFound);
  app.use(answerErrors(report));
  return app;
}
