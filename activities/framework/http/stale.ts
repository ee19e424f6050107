/**
 * Detects connections that the server had closed by the time a request was sent over them: the two cross on the wire,
 * and nothing shows that the request arrived. Based on undici's diagnostics channels, the only source that links
 * requests to connections.
 */
import { subscribe } from 'node:diagnostics_channel';

type Named = Readonly<Record<'request' | 'socket' | 'error', object>>;

const socketOf = new WeakMap<object, object>();
/** Connections that have delivered a response. */
const proven = new WeakSet<object>();
/** Unanswered requests on such a connection. */
const reusing = new WeakSet<object>();
const stale = new WeakSet<object>();

const on = (name: string, listener: (message: Named) => void): void =>
  subscribe(`undici:${name}`, (message) => listener(message as Named));

on('client:sendHeaders', ({ request, socket }) => {
  socketOf.set(request, socket);
  if (proven.has(socket)) reusing.add(request);
});
on('request:headers', ({ request }) => {
  reusing.delete(request);
  const socket = socketOf.get(request);
  if (socket) proven.add(socket);
});
on('request:error', ({ request, error }) => {
  if (reusing.has(request)) stale.add(error);
});

const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Whether a request failed because a previously used connection was closed before any part of the response arrived. */
export function wasStale(error: unknown): boolean {
  return (
    error instanceof Error && stale.has(error) && LOST.includes(String((error as { code?: string }).code))
  );
}
