/** Serves the facade until it is closed, and closes it without dropping what was asked. */
import { type AddressInfo } from 'node:net';
import http from 'node:http';
import { type Express } from 'express';
import { EnvironmentError } from '../../errors';

export interface Listening {
  readonly url: string;
  /**
   * Takes no new connection, answers what was asked, and ends what is still open after `limitMs`.
   *
   * @returns whether everything was answered
   */
  close(limitMs?: number): Promise<boolean>;
}

/** A request that takes longer to arrive is dropped. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
/** So long nothing may move on a connection; streams say that they are alive more often. */
const SILENCE_MS = 120_000;
const CLOSE_MS = 2_000;

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * @param port 0 for any
 * @param host default 127.0.0.1
 * @throws EnvironmentError `PORT_IN_USE`, `HOST_UNKNOWN`
 */
export async function listen(app: Express, port: number, host = '127.0.0.1'): Promise<Listening> {
  let closing = false;
  const server = http.createServer({ requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS });
  server.setTimeout(SILENCE_MS);
  server.on('request', (request, response) => {
    // Whoever keeps a connection for the next request would hold up the end.
    response.once('finish', () => closing && setImmediate(() => server.closeIdleConnections()));
    app(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}`,
    close: (limitMs = CLOSE_MS) =>
      new Promise((resolve) => {
        let answered = true;
        closing = true;
        const limit = setTimeout(() => {
          answered = false;
          server.closeAllConnections();
        }, limitMs);
        server.close(() => {
          clearTimeout(limit);
          resolve(answered);
        });
        server.closeIdleConnections();
      }),
  };
}

/** Why nobody can listen there, as people are told. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new EnvironmentError('PORT_IN_USE', `port ${port} is taken`, [
        'Choose another port with --port.',
      ]);
    case 'EACCES':
      return new EnvironmentError('PORT_IN_USE', `this user is not permitted to listen on port ${port}`, [
        'Choose a port from 1024 with --port.',
      ]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new EnvironmentError('HOST_UNKNOWN', `${host} is not an address of this machine`, [
        'Choose one with --host: 127.0.0.1 for this machine only, 0.0.0.0 for every network.',
      ]);
    default:
      return error;
  }
}
