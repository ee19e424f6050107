/** What is done for each request, whether Express serves it or the HTTP server itself (`direct.ts`). */
import { type IncomingMessage, type ServerResponse } from 'node:http';

/** A response, with what its middleware knows of its request. */
export type Answering = ServerResponse & { readonly locals: Record<string, unknown> };

/** A middleware of Express that needs no Express. */
export type Middleware = (
  request: IncomingMessage,
  response: Answering,
  next: (error?: unknown) => void,
) => void;
