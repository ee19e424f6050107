/** Tells a database that is away (down, starting, out of connections, cut off) from one that refuses. */

/** SQLSTATEs: the server shuts down, has crashed, is starting, or has no connection left. Class 08: the connection is lost. */
const AWAY = /^(08|57P0[123]$|53300$)/;
const SYSTEM = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)$/;
/** What `pg` and its pool say without a code. */
const MESSAGE =
  /^(timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error)/i;

/** Whether an error of `pg` says that the database does not respond; the same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return AWAY.test(code) || SYSTEM.test(code);
  return typeof message === 'string' && MESSAGE.test(message);
}
