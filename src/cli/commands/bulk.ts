import { Command } from 'commander';
import { bulksText, bulkText } from '../output/bulk-text';
import { withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { type BulkOperations } from '../runtime/bulk/operations';
import { type RemoteFlags } from '../runtime/executions';

/** `bulk …`: operations that `--where` began. */
export function bulkCommand(): Command {
  const command = new Command('bulk').description(
    'list, show, cancel and resume operations on many executions (rerun, cancel, pause, resume, replay --where)',
  );
  command.addCommand(
    withPlace(new Command('list'))
      .description('list bulk operations, newest first')
      .action(async (flags: RemoteFlags) => {
        const all = await using(flags, (operations) => operations.list());
        await print(flags.json ? JSON.stringify({ operations: all }, null, 2) : bulksText(all));
      }),
  );
  command.addCommand(
    withPlace(new Command('show'))
      .description('show progress and outcomes of a bulk operation')
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        const standing = await using(flags, (operations) => operations.read(id));
        await printAnswer(flags.json, standing, bulkText(standing));
      }),
  );
  command.addCommand(
    withPlace(new Command('cancel'))
      .description(
        'stop a bulk operation after the batch under way; executions it has handled stay as they are',
      )
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        await using(flags, (operations) => operations.cancel(id));
        await printAnswer(flags.json, { bulk_id: id }, `bulk operation ${id} is being stopped`);
      }),
  );
  command.addCommand(
    withPlace(new Command('resume'))
      .description('continue a bulk operation that was stopped or lost its command, and wait for its end')
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        const { bulkOperations } = await import('../runtime/bulk/index.js');
        const { watchBulk } = await import('../runtime/bulk/carry-out.js');
        const operations = await bulkOperations(flags, true);
        try {
          await operations.resume(id);
          process.exitCode = await watchBulk(operations, id, flags.json);
        } finally {
          await operations.close();
        }
      }),
  );
  return command;
}

async function using<T>(flags: RemoteFlags, ask: (operations: BulkOperations) => Promise<T>): Promise<T> {
  const { bulkOperations } = await import('../runtime/bulk/index.js');
  const operations = await bulkOperations(flags, false);
  try {
    return await ask(operations);
  } finally {
    await operations.close();
  }
}
