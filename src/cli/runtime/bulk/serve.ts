/** Workers of a command that carries a bulk operation out by itself. */
import { startBulkWorker } from '../../../server/bulk';
import { startWorkers } from '../../../temporal/worker';
import { dataFolder } from '../data-folder';
import { openSession, quietLog } from '../session';

/** During `work`: workers for workflows and for batches, but for no task, which is left to the usual workers. */
export async function servingBulk<T>(data: string | undefined, work: () => Promise<T>): Promise<T> {
  const session = await openSession('bulk', dataFolder(data), {
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const { native: connection, client, storage, target } = session;
  const { dataConverter } = storage;
  const [workflows, bulk] = await Promise.all([
    startWorkers({
      connection,
      namespace: target.namespace,
      dataConverter,
      kinds: [],
      workflows: true,
      log: quietLog(),
    }),
    startBulkWorker({ connection, client, dataConverter }),
  ]);
  try {
    return await work();
  } finally {
    await Promise.all([bulk.stop(), workflows.stop({ graceMs: 0 })]);
    await session.close();
  }
}
