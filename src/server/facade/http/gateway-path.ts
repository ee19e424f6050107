import { type RequestHandler } from 'express';

/** The official gateway has `/api` under another name. Before everything else, so that all rules are those of `/api`. */
export const gatewayPath: RequestHandler = (request, _response, next) => {
  if (request.url.startsWith('/noetl/')) request.url = `/api/${request.url.slice('/noetl/'.length)}`;
  next();
};
