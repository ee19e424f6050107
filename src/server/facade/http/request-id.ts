/** Every request has an id, from the caller or generated; it is in the response, the log and error bodies. */
import { randomUUID } from 'node:crypto';
import { type Answering, type Middleware } from './middleware';

const HEADER = 'x-request-id';
/** Characters safe in a header and a log line. */
const ACCEPTED = /^[\w.:+/=-]{1,128}$/;

export const requestIds: Middleware = (request, response, next) => {
  const given = request.headers[HEADER];
  const id = typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
  response.locals['requestId'] = id;
  response.setHeader(HEADER, id);
  next();
};

export function requestIdOf(response: Answering): string | undefined {
  return response.locals['requestId'] as string | undefined;
}
