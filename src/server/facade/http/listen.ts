/** Runs the HTTP server, and closes it without dropping requests. */
import { type AddressInfo } from 'node:net';
import http from 'node:http';
import { EnvironmentError } from '../../../language/errors';
import { discard, hasUnreadBody } from './unread';

export interface Listening {
  readonly url: string;
  /**
   * Stops accepting connections, completes pending requests, and closes what is still open after `limitMs`.
   *
   * @returns whether all requests were completed
   */
  close(limitMs?: number): Promise<boolean>;
}

/** Requests that take longer to arrive are dropped. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
/** Idle timeout of a connection; streams send keep-alives more often. */
const SILENCE_MS = 120_000;
const CLOSE_MS = 2_000;

/** Whether a server listening on this host is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/**
 * @param port 0 for any
 * @param host default 127.0.0.1
 * @throws EnvironmentError `PORT_IN_USE`, `HOST_UNKNOWN`
 */
export async function listen(
  app: http.RequestListener,
  port: number,
  host = '127.0.0.1',
): Promise<Listening> {
  let closing = false;
  const server = http.createServer({ requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS });
  server.setTimeout(SILENCE_MS);
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    response.once('finish', () => {
      // Otherwise idle keep-alive connections would delay closing.
      if (closing) setImmediate(() => server.closeIdleConnections());
      // Node discards what is left of a body before the next request, however long it is.
      if (hasUnreadBody(request)) discard(request, () => request.complete || request.socket.destroy());
    });
    app(request, response);
  };
  server.on('request', serve);
  // `Expect: 100-continue`: answered when the body is read, if it is (body.ts).
  server.on('checkContinue', serve);
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

/** The error of listening as a message for users. */
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
