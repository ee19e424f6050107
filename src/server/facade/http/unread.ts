/**
 * Answers to requests whose body nobody will read: the client, which may still be sending, gets the whole answer,
 * and the connection is closed. What it sends meanwhile is discarded, for a while: many clients read an answer only
 * after they have sent everything.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';

const DISCARD_MS = 2_000;
/** As much as a body may have. */
const DISCARD_BYTES = 8 * 1024 * 1024;

/** Whether parts of a body have not arrived. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && announcesBody(request);
}

export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Sends JSON as the answer, and closes the connection if the body is still to come. */
export function sendClosing(response: ServerResponse, status: number, document: object): void {
  const { req: request } = response;
  const text = JSON.stringify(document);
  const head = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  };
  if (!hasUnreadBody(request)) return void response.writeHead(status, head).end(text);
  response.writeHead(status, { ...head, connection: 'close' });
  // Node closes the connection at the end of the response: it ends when the body does.
  response.write(text);
  discard(request, () => response.end());
}

/** Reads on for nobody, within limits. */
export function discard(request: IncomingMessage, done: () => void): void {
  let seen = 0;
  const over = (): void => {
    clearTimeout(timer);
    request.off('data', count).off('end', over).off('close', over).off('error', over);
    done();
  };
  const count = (chunk: Buffer): void => {
    seen += chunk.length;
    if (seen > DISCARD_BYTES) over();
  };
  const timer = setTimeout(over, DISCARD_MS).unref();
  request.on('data', count).on('end', over).on('close', over).on('error', over);
  request.resume();
}
