/** Bulk operations through Temporal directly; the command carries them out, beside any `dev` and `serve`. */
import {
  cancelBulk,
  listBulk,
  readBulk,
  resumeBulk,
  selectExecutions,
  startBulk,
  startBulkWorker,
  whereOf,
} from '../../../server/bulk';
import { newExecutionId } from '../../../temporal/client';
import { startWorkers } from '../../../temporal/worker';
import { dataFolder } from '../data-folder';
import { openSession, quietLog, type CliSession } from '../session';
import { type BulkOperations } from './operations';
import { revisionFrom } from '../revision';

/** Operations a server remembers are few; older ones expire with its retention. */
const LISTED = 100;

/** @param serves starts workers for the operation */
export async function bulkAtTemporal(data: string | undefined, serves: boolean): Promise<BulkOperations> {
  const session = await openSession('bulk', dataFolder(data), {
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const { client } = session;
  let stop: (() => Promise<unknown>) | undefined;
  const serve = async (): Promise<void> => {
    if (serves) stop ??= await serveBulk(session);
  };
  return {
    async choose({ verb, where }) {
      const selection = await selectExecutions(client, verb, whereOf(where, Date.now()));
      return { bulk_id: newExecutionId(), ...selection };
    },
    async start({ verb, where, rate, options, playbook }, { bulk_id, executions }) {
      const revision = revisionFrom(playbook)?.plan;
      const input = { bulk: bulk_id, verb, executions, perSecond: rate, options };
      await startBulk(client, { input: { ...input, ...(revision && { revision }) }, where, by: null });
      await serve();
    },
    list: () => listBulk(client, LISTED),
    read: (id) => readBulk(client, id),
    cancel: (id) => cancelBulk(client, id),
    async resume(id) {
      await resumeBulk(client, id);
      await serve();
    },
    async close() {
      await stop?.();
      await session.close();
    },
  };
}

/** Workers for workflows and for batches, but for no task: executions that begin are left to the usual workers. */
async function serveBulk({ native, client, storage, target }: CliSession): Promise<() => Promise<unknown>> {
  const { dataConverter } = storage;
  const [workflows, bulk] = await Promise.all([
    startWorkers({
      connection: native,
      namespace: target.namespace,
      dataConverter,
      kinds: [],
      workflows: true,
      log: quietLog(),
    }),
    startBulkWorker({ connection: native, client, dataConverter }),
  ]);
  return () => Promise.all([bulk.stop(), workflows.stop({ graceMs: 0 })]);
}
