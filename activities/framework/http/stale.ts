/**
 * Connections that the server had closed already when a request was sent over them: the two cross on the way, and the
 * request has no answer that it ever arrived. By undici's channels of diagnostics, which alone know what went over which
 * connection.
 */
import { subscribe } from 'node:diagnostics_channel';

type Named = Readonly<Record<'request' | 'socket' | 'error', object>>;

const socketOf = new WeakMap<object, object>();
/** Connections over which an answer has come. */
const proven = new WeakSet<object>();
/** Requests over such a connection that have no answer yet. */
const reusing = new WeakSet<object>();
const stale = new WeakSet<object>();

const on = (name: string, told: (message: Named) => void): void =>
  subscribe(`undici:${name}`, (message) => told(message as Named));

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

/** Whether a request failed because a connection that had served before was closed, before anything of an answer came. */
export function wasStale(error: unknown): boolean {
  return (
    error instanceof Error && stale.has(error) && LOST.includes(String((error as { code?: string }).code))
  );
}
