/**
 * A TCP proxy in front of Postgres that can hold back the answer to a COMMIT: the moment between the commit of a row
 * and the completion of the activity that wrote it, made as long as a test needs.
 */
import { type Proxy, startProxy } from './proxy';

export interface PgProxy extends Proxy {
  /** Commits of writing transactions that the server confirmed so far. */
  readonly commits: number;
  /** Called with the number of each confirmed commit; while it returns a promise, the client does not hear of it. */
  onCommit: ((commit: number) => Promise<void> | undefined) | undefined;
}

/** CommandComplete of an INSERT that wrote something; the transaction's COMMIT follows in a later message. */
const WROTE = /INSERT 0 [1-9]\d*\0/;
const COMMITTED = 'COMMIT\0';

export async function startPgProxy(target: { host: string; port: number }): Promise<PgProxy> {
  const proxy = await startProxy(target, () => {
    let wrote = false;
    return (chunk) => {
      const text = chunk.toString('latin1');
      wrote ||= WROTE.test(text);
      if (!wrote || !(text.includes(COMMITTED) || isAutocommit(text))) return undefined;
      wrote = false;
      counted.commits++;
      return counted.onCommit?.(counted.commits);
    };
  });
  const counted = Object.assign(proxy, { commits: 0, onCommit: undefined as PgProxy['onCommit'] });
  return counted;
}

/** ReadyForQuery in state idle after the write: the statement was its own transaction. */
function isAutocommit(text: string): boolean {
  return WROTE.test(text) && /Z\0\0\0\x05I/.test(text);
}
