/** Every request has an id, from the caller or generated; it is in the response, the log and error bodies. */
import { randomUUID } from 'node:crypto';
import { type RequestHandler, type Response } from 'express';

const HEADER = 'x-request-id';
/** Characters safe in a header and a log line. */
const ACCEPTED = /^[\w.:+/=-]{1,128}$/;

export const requestIds: RequestHandler = (request, response, next) => {
  const given = request.get(HEADER);
  const id = given !== undefined && ACCEPTED.test(given) ? given : randomUUID();
  response.locals['requestId'] = id;
  response.set(HEADER, id);
  next();
};

export function requestIdOf(response: Response): string | undefined {
  return response.locals['requestId'] as string | undefined;
}
