/** Whether the servers that a process needs answer now: a connection that was made once says nothing about that. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection } from '@temporalio/client';

/** Milliseconds: longer than any healthy answer, shorter than the patience of probes. */
const LIMIT_MS = 2_000;
/** Probes of several observers share a look. */
const KEPT_MS = 500;

/** Also says that the server reaches its own database, in which the namespace is. */
export async function temporalAnswers(
  connection: Pick<Connection, 'workflowService' | 'withDeadline'>,
  namespace: string,
): Promise<void> {
  await connection.withDeadline(Date.now() + LIMIT_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
}

/**
 * Anybody may ask for readiness, so looks are shared: at most two a second, whoever asks.
 *
 * @param checks by the name of what answers
 * @returns the names of those that do not answer
 */
export function whoIsAway<Name extends string>(
  checks: Readonly<Record<Name, () => Promise<unknown>>>,
): () => Promise<readonly Name[]> {
  let look: Promise<readonly Name[]> | undefined;
  const names = Object.keys(checks) as Name[];
  const answers = async (name: Name): Promise<boolean> => {
    const limit = new AbortController();
    const late = sleep(LIMIT_MS, false, { signal: limit.signal }).catch(() => false);
    const answered = checks[name]().then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, late]).finally(() => limit.abort());
  };
  return () => {
    if (look) return look;
    look = Promise.all(names.map(answers)).then((all) => names.filter((_, index) => !all[index]));
    const forget = (): void => void setTimeout(() => (look = undefined), KEPT_MS).unref();
    void look.then(forget);
    return look;
  };
}
