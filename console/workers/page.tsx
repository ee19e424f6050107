/** Task queues, their backlogs, and their workers. */
import { type JSX } from 'preact';
import { type TaskQueueDocument, type WorkerDocument } from '../../src/server/facade/documents';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { ago, duration, fullMoment } from '../parts/time';
import { useDocument } from '../server/use';

const EVERY_MS = 3_000;

export default function WorkersPage(): JSX.Element {
  const { value: loaded, error } = useDocument<{ queues: readonly TaskQueueDocument[] }>(
    '/api/worker/queues',
    EVERY_MS,
  );
  const { value: pools } = useDocument<{ items: readonly WorkerDocument[] }>('/api/worker/pools', EVERY_MS);
  const queues = [...(loaded?.queues ?? [])].sort(byNeed);
  return (
    <>
      <header class="page-head">
        <h1>Workers</h1>
        {pools && <span class="count">{pools.items.length}</span>}
      </header>
      {error && !loaded && <ProblemNote error={error} />}
      {!loaded && !error && <Loading what="Asking Temporal" />}
      {pools?.items.length === 0 && (
        <Empty title="No worker lives">
          <p>Runs wait until one comes. Start one that does everything:</p>
          <CommandHint text="noetl-temporal worker --kinds all --workflows" />
        </Empty>
      )}
      {pools && pools.items.length > 0 && (
        <ul class="cards">
          {pools.items.map((worker) => (
            <li key={worker.name} class="card" data-worker={worker.name}>
              <div class="card-head">
                <h2>{worker.name}</h2>
                <span class={`status ${worker.status === 'ready' ? 'done' : 'failed'}`}>{worker.status}</span>
                <small title={fullMoment(worker.heartbeat)}>asked for work {ago(worker.heartbeat)}</small>
              </div>
              <p class="hint">{worker.kinds.join(', ')}</p>
            </li>
          ))}
        </ul>
      )}
      {loaded && (
        <div class="card queues" tabIndex={0} role="region" aria-label="Queues">
          <h2>Queues</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col">Queue</th>
                <th scope="col">Waiting</th>
                <th scope="col">Oldest</th>
                <th scope="col">Workers</th>
              </tr>
            </thead>
            <tbody>
              {queues.map((queue) => (
                <tr
                  key={`${queue.name}${queue.kind}`}
                  class={isUrgent(queue) ? 'unpolled' : queue.served ? '' : 'unused'}
                  data-queue={queue.name}
                  data-polled={queue.served}
                  data-urgent={isUrgent(queue)}
                >
                  <td>{queue.kind}</td>
                  <td>
                    <code>{queue.name}</code>
                  </td>
                  <td>{queue.backlog}</td>
                  <td>{queue.backlog > 0 ? duration(queue.backlog_age_seconds * 1000) : ''}</td>
                  <td>{queue.served ? queue.pollers.length : <Nobody queue={queue} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Nobody({ queue: { kind, pool, backlog, last_seen } }: { queue: TaskQueueDocument }): JSX.Element {
  const options = kind === 'workflows' ? '--workflows' : `--kinds ${kind}`;
  return (
    <>
      {last_seen === null ? 'nobody' : `nobody: the last was seen ${ago(last_seen)}`}
      {backlog > 0 && ', and these tasks wait'} ·{' '}
      <code>
        noetl-temporal worker {options}
        {pool !== null && ` --pool ${pool}`}
      </code>
    </>
  );
}

/** Tasks wait and no worker serves the queue. An unused queue needs none. */
function isUrgent(queue: TaskQueueDocument): boolean {
  return !queue.served && queue.backlog > 0;
}

/** Order: backlogs without workers, other backlogs, queues without workers, the rest. */
function byNeed(a: TaskQueueDocument, b: TaskQueueDocument): number {
  const rank = (queue: TaskQueueDocument): number =>
    isUrgent(queue) ? 0 : queue.backlog > 0 ? 1 : queue.served ? 3 : 2;
  return rank(a) - rank(b) || b.backlog - a.backlog || (a.kind < b.kind ? -1 : 1);
}
