/** Serves the facade on loopback: it asks nobody who they are, so nobody else may reach it (DESIGN.md section 8). */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Express } from 'express';
import { EnvironmentError } from '../../temporal';

export interface Listening {
  readonly url: string;
  /** Answers what was asked, takes nothing new. */
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;

/** @throws EnvironmentError `PORT_IN_USE` */
export async function listen(app: Express, port: number): Promise<Listening> {
  const server = http.createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new EnvironmentError('PORT_IN_USE', `port ${port} is taken`, ['Choose another one with --port.'])
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // Readers of a running execution would stay as long as it runs; they come back with their last event's id.
        setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
      }),
  };
}
